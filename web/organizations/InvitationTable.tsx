import { ROWS_PER_PAGE, useTableQuery } from '../shared/api/use-table-query.ts'
import { DataTable } from '../shared/components/DataTable.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { Filter } from '../shared/components/Filter.tsx'
import { SearchField } from '../shared/components/SearchField.tsx'
import { useBulk } from '../shared/components/use-bulk.ts'
import { INVITATION_STATUS_NAMES } from '../shared/format/invitation-names.ts'
import { useAddressValues } from '../shared/routing/address-values.ts'
import { useOpenRow } from '../shared/routing/open-row.ts'
import { isPending, lastEvent } from './describe-invitation.ts'
import { InvitationBulk } from './InvitationBulk.tsx'
import { InvitationDetails } from './InvitationDetails.tsx'
import { invitationColumns } from './invitation-columns.tsx'
import { type Invitation, invitationsQuery } from './queries.ts'
import type { Role } from './roles.ts'

const SENDING_MILLISECONDS = 3_000

type InvitationTableProps = { organizationId: string; mayManage: boolean; granterRole: Role; hasOpen: boolean }

/** While an email waits to be sent, the table asks the service again and again. */
export function InvitationTable({ organizationId, mayManage, granterRole, hasOpen }: InvitationTableProps) {
  const { get, set, offset, setOffset } = useAddressValues()
  const search = get('search')
  const status = get('status')
  const openRow = useOpenRow()
  const bulk = useBulk<Invitation>(
    ({ id }) => id,
    ({ email }) => email,
  )
  const { data, table } = useTableQuery({
    ...invitationsQuery(organizationId, { limit: ROWS_PER_PAGE, offset, email: search, status }),
    refetchInterval: ({ state }) => hasQueuedEmail(state.data?.invitations) && SENDING_MILLISECONDS,
  })
  const rows = data?.invitations
  const isFiltered = search !== '' || status !== ''
  return (
    <section className="table-section" aria-labelledby="sent">
      <h2 id="sent">Invitations so far</h2>
      <div className="table-tools">
        <SearchField label="Search by email address" value={search} onSearch={(text) => set({ search: text }, true)} />
        <Filter label="State" options={INVITATION_STATUS_NAMES} value={status} onChange={(to) => set({ status: to })} />
      </div>
      {mayManage && (
        <InvitationBulk
          bulk={bulk}
          invitations={rows?.filter(isPending)}
          isUpdating={table.isUpdating}
          granterRole={granterRole}
          hasOpen={hasOpen}
        />
      )}
      <DataTable
        caption="Invitations"
        columns={invitationColumns(openRow)}
        rows={rows}
        rowKey={({ id }) => id}
        {...table}
        page={{ offset, limit: ROWS_PER_PAGE, total: data?.total }}
        onPage={setOffset}
        {...(mayManage && {
          selection: {
            selected: bulk.selected,
            onChange: bulk.setSelected,
            nameOf: ({ email }: Invitation) => email,
            canSelect: isPending,
          },
        })}
        details={(invitation) =>
          invitation.id === openRow.id && (
            <InvitationDetails invitation={invitation} mayManage={mayManage} granterRole={granterRole} />
          )
        }
        empty={
          <EmptyState title={isFiltered ? 'No invitation matches' : 'No invitations yet'}>
            <p className="soft">
              {isFiltered ? 'A part of the address is enough.' : 'Enter the addresses of your colleagues above.'}
            </p>
          </EmptyState>
        }
      />
    </section>
  )
}

function hasQueuedEmail(invitations: Invitation[] = []): boolean {
  return invitations.some((invitation) => lastEvent(invitation) === 'queued')
}
