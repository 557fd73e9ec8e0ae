import { useQuery } from '@tanstack/react-query'
import { refreshPages } from '../../shared/api/queries.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { moment } from '../../shared/format/moment.ts'
import { number } from '../../shared/format/number.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { OffButton } from '../common/OffButton.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import { useIsAdministrator } from '../common/use-is-administrator.ts'
import { type Throttle, throttlesQuery } from './throttles-query.ts'

export function Throttles() {
  const { data, error, refetch } = useQuery(throttlesQuery)
  return (
    <section className="table-block" aria-labelledby="throttles">
      <h2 id="throttles">Used limits</h2>
      <DataTable
        caption="Limits that are at least half used"
        columns={COLUMNS}
        rows={data?.throttles}
        rowKey={({ key }) => key}
        error={error}
        retry={refetch}
        empty={<EmptyState title="No limit is half used" />}
      />
    </section>
  )
}

const KINDS = {
  password: 'Wrong passwords',
  secret: 'Wrong secrets',
  mail: 'Requested emails',
  change: 'Requests',
  registration: 'Registered apps',
  invitation: 'Invitations',
}
const HOLDERS = {
  account: 'An account',
  device: 'A known browser',
  session: 'A session',
  user: 'A user',
  network: 'A network',
  site: 'A group of networks',
}

const COLUMNS: Column<Throttle>[] = [
  { key: 'subject', label: 'Who', cell: ({ subject, holder }) => subject ?? `${HOLDERS[holder]}, not known by name` },
  {
    key: 'kind',
    label: 'What',
    cell: ({ kind, route }) => (route === null ? KINDS[kind] : `${KINDS[kind]} at ${route}`),
  },
  { key: 'used', label: 'Used', isShort: true, cell: ({ used, limit }) => <Used used={used} limit={limit} /> },
  { key: 'expiresAt', label: 'Ends by itself', isShort: true, cell: ({ expiresAt }) => moment(new Date(expiresAt)) },
  { key: 'clear', label: 'Actions', cell: (throttle) => <Clear throttle={throttle} /> },
]

function Used({ used, limit }: { used: number; limit: number }) {
  const isFull = used >= limit
  return (
    <span className={`badge ${isFull ? 'badge-bad' : 'badge-open'}`}>
      {number(used)} of {number(limit)}
      {isFull && ', refused'}
    </span>
  )
}

function Clear({ throttle: { key, subject, holder } }: { throttle: Throttle }) {
  const about = subject ?? HOLDERS[holder]
  if (!useIsAdministrator()) return <OffButton label="Clear" reason="Only administrators clear limits." />
  return (
    <InlineConfirm
      label="Clear"
      about={about}
      question="Clear this limit? The count starts again, for an attacker too."
      confirmLabel="Clear it"
      pendingLabel="Clearing…"
      action={() => postStaffEndpoint('clear-throttle', { key })}
      onDone={refreshPages}
    />
  )
}
