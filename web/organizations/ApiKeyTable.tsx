import { useTableQuery } from '../shared/api/use-table-query.ts'
import { DataTable } from '../shared/components/DataTable.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { useOpenRow } from '../shared/routing/open-row.ts'
import { useTableAddress } from '../shared/routing/table-address.ts'
import type { ShownOnce } from '../shared/routing/use-shown-once.ts'
import { ApiKeyDetails } from './ApiKeyDetails.tsx'
import { apiKeyColumns } from './api-key-columns.tsx'
import { apiKeysQuery, type CreatedApiKey } from './queries.ts'
import type { Role } from './roles.ts'

type ApiKeyTableProps = { organizationId: string; role: Role; newKey: ShownOnce<CreatedApiKey> }

export function ApiKeyTable({ organizationId, role, newKey }: ApiKeyTableProps) {
  const { listing, propsFor } = useTableAddress({ by: 'createdAt', direction: 'desc' })
  const openRow = useOpenRow()
  const { data, table } = useTableQuery(apiKeysQuery(organizationId, listing))
  return (
    <DataTable
      caption="API keys"
      columns={apiKeyColumns(openRow)}
      rows={data?.apiKeys}
      rowKey={({ id }) => id}
      {...table}
      {...propsFor(data?.total)}
      details={(apiKey) =>
        apiKey.id === openRow.id && <ApiKeyDetails apiKey={apiKey} managerRole={role} newKey={newKey} />
      }
      empty={
        <EmptyState title="No API keys">
          <p className="soft">Create one for each program, so that you can replace them one by one.</p>
        </EmptyState>
      }
    />
  )
}
