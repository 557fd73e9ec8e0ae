import { useTableQuery } from '../api/use-table-query.ts'
import { type Column, DataTable } from '../components/DataTable.tsx'
import { EmptyState } from '../components/EmptyState.tsx'
import { OpenRowButton } from '../components/OpenRowButton.tsx'
import { shortDay } from '../format/moment.ts'
import { type OpenRow, useOpenRow } from '../routing/open-row.ts'
import type { ShownOnce } from '../routing/use-shown-once.ts'
import { ClientDetails } from './ClientDetails.tsx'
import { clientsQuery, type NewOAuthClient, type OAuthClient, type Owner } from './clients.ts'
import { KINDS, kindOf } from './kinds.ts'

type ClientTableProps = { owner: Owner; newClient: ShownOnce<NewOAuthClient> }

export function ClientTable({ owner, newClient }: ClientTableProps) {
  const openRow = useOpenRow()
  const { data, table } = useTableQuery(clientsQuery(owner))
  return (
    <DataTable
      caption="Apps"
      columns={columns(openRow)}
      rows={data}
      rowKey={({ client_id }) => client_id}
      {...table}
      details={(client) => client.client_id === openRow.id && <ClientDetails client={client} newClient={newClient} />}
      empty={
        <EmptyState title="No apps">
          <p className="soft">Connect one, and its users sign in with their account here.</p>
        </EmptyState>
      }
    />
  )
}

function columns(openRow: OpenRow): Column<OAuthClient>[] {
  return [
    { key: 'name', label: 'Name', cell: (client) => <Name client={client} /> },
    { key: 'kind', label: 'Kind', cell: (client) => KINDS[kindOf(client)].label },
    {
      key: 'createdAt',
      label: 'Connected',
      isShort: true,
      cell: ({ client_id_issued_at }) => shortDay(new Date(client_id_issued_at * 1000)),
    },
    {
      key: 'details',
      label: 'Manage',
      isShort: true,
      cell: ({ client_id, client_name }) => (
        <OpenRowButton openRow={openRow} id={client_id} label="Manage" about={client_name} />
      ),
    },
  ]
}

function Name({ client: { client_name, disabled, skip_consent, user_id } }: { client: OAuthClient }) {
  return (
    <>
      {client_name} {disabled && <span className="badge badge-bad">Disabled</span>}
      {skip_consent && <span className="badge">Asks no consent</span>}
      {user_id === undefined && <span className="badge">Registered itself</span>}
    </>
  )
}
