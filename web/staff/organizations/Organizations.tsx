import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { ListOrganizationsResponse } from '../../../server/features/staff/organizations/schemas.ts'
import { useTableQuery } from '../../shared/api/use-table-query.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { SearchField } from '../../shared/components/SearchField.tsx'
import { shortDay } from '../../shared/format/moment.ts'
import { number } from '../../shared/format/number.ts'
import { useTableAddress } from '../../shared/routing/table-address.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'
import { CreateOrganization } from './CreateOrganization.tsx'

type ResponseBody = Static<typeof ListOrganizationsResponse>
type Organization = ResponseBody['organizations'][number]

const organizationsQuery = (listing: Record<string, string | number>) =>
  queryOptions({
    queryKey: ['staff', 'list-organizations', listing],
    queryFn: () => getStaffEndpoint<ResponseBody>('list-organizations', listing),
  })

export function Organizations() {
  const address = useTableAddress({ by: 'name', direction: 'asc' })
  const listing = { ...address.listing, searchValue: address.search, searchField: 'any' }
  const { data, table } = useTableQuery(organizationsQuery(listing))
  return (
    <FramePage heading="Organizations" isWide>
      <CreateOrganization />
      <SearchField label="A part of the name or address" value={address.search} onSearch={address.setSearch} />
      <DataTable
        caption="Organizations"
        columns={COLUMNS}
        rows={data?.organizations}
        rowKey={({ id }) => id}
        {...table}
        {...address.propsFor(data?.total)}
        empty={<EmptyState title="No organization has such a name or address" />}
      />
    </FramePage>
  )
}

const COLUMNS: Column<Organization>[] = [
  {
    key: 'name',
    label: 'Name',
    isSortable: true,
    cell: ({ id, name }) => <Link href={`/staff/organizations/${id}`}>{name}</Link>,
  },
  { key: 'slug', label: 'Address', isSortable: true, cell: ({ slug }) => slug },
  { key: 'memberCount', label: 'Members', cell: ({ memberCount }) => number(memberCount) },
  {
    key: 'openInvitationCount',
    label: 'Open invitations',
    cell: ({ openInvitationCount }) => number(openInvitationCount),
  },
  { key: 'createdAt', label: 'Created', isSortable: true, cell: ({ createdAt }) => shortDay(new Date(createdAt)) },
]
