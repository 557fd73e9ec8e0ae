import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { SignInStatusResponse } from '../../../server/features/staff/sign-in-status/schemas.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { moment, shortDay } from '../../shared/format/moment.ts'
import { signInStatusQuery } from '../common/SignInStatus.tsx'
import { twoStepSentence } from '../common/two-step-sentence.ts'
import type { StaffUser } from './queries.ts'

type Status = Static<typeof SignInStatusResponse>
type Passkey = Status['passkeys'][number]

export function WaysToSignIn({ user: { id } }: { user: StaffUser }) {
  const { data, error, refetch } = useQuery(signInStatusQuery({ userId: id }))
  // The state above the tabs comes from the same request, and shows its error.
  if (error && data === undefined) return null
  return (
    <>
      {data && (
        <p>
          {data.password
            ? `Password, changed ${moment(new Date(data.password.changedAt))}.`
            : 'This user has no password.'}
        </p>
      )}
      {data?.twoFactor && <p>Two-step verification: {twoStepSentence(data.twoFactor)}</p>}
      <DataTable
        caption="Passkeys of this user"
        columns={COLUMNS}
        rows={data?.passkeys}
        rowKey={(passkey) => passkey.id}
        error={error}
        retry={refetch}
        empty={<EmptyState title="This user has no passkey" />}
      />
    </>
  )
}

const COLUMNS: Column<Passkey>[] = [
  { key: 'name', label: 'Passkey', cell: ({ name }) => name },
  {
    key: 'backedUp',
    label: 'Where',
    cell: ({ backedUp }) => (backedUp ? 'Synced between devices' : 'On one device'),
  },
  { key: 'createdAt', label: 'Added', cell: ({ createdAt }) => shortDay(new Date(createdAt)) },
  {
    key: 'lastUsedAt',
    label: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt ? moment(new Date(lastUsedAt)) : 'Not yet'),
  },
]
