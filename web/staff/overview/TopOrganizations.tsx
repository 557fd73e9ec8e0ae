import { Link } from 'wouter'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { number } from '../../shared/format/number.ts'
import type { Statistics } from './statistics.ts'

type TopOrganization = Statistics['topOrganizations'][number]

export function TopOrganizations({ statistics }: { statistics: Statistics }) {
  return (
    <section className="table-block" aria-labelledby="tokens">
      <h2 id="tokens">Organizations with the most tokens</h2>
      <DataTable
        caption="Organizations with the most tokens"
        columns={COLUMNS}
        rows={statistics.topOrganizations}
        rowKey={({ id }) => id}
        error={null}
        retry={() => {}}
        empty={<EmptyState title="No tokens in this time" />}
      />
    </section>
  )
}

const COLUMNS: Column<TopOrganization>[] = [
  {
    key: 'name',
    label: 'Organization',
    cell: ({ id, name }) => <Link href={`/staff/organizations/${id}`}>{name}</Link>,
  },
  { key: 'slug', label: 'Address', cell: ({ slug }) => slug },
  { key: 'tokens', label: 'Tokens', isShort: true, cell: ({ tokens }) => number(tokens) },
]
