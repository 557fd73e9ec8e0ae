import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { ListMembershipsResponse } from '../../../server/features/staff/organizations/schemas.ts'
import { readAllPages } from '../../shared/api/read-all-pages.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { moment, shortDay } from '../../shared/format/moment.ts'
import { organizationRoleName } from '../../shared/format/role-name.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'
import type { StaffUser } from './queries.ts'

type ResponseBody = Static<typeof ListMembershipsResponse>
type Membership = ResponseBody['memberships'][number]

const membershipsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['staff', 'list-user-memberships', userId],
    queryFn: () =>
      readAllPages(async (offset) => {
        const { memberships } = await getStaffEndpoint<ResponseBody>('list-user-memberships', { userId, offset })
        return memberships
      }),
  })

export function Memberships({ user: { id } }: { user: StaffUser }) {
  const { data, error, refetch } = useQuery(membershipsQuery(id))
  return (
    <DataTable
      caption="Organizations of this user"
      columns={COLUMNS}
      rows={data}
      rowKey={(membership) => membership.id}
      error={error}
      retry={refetch}
      empty={<EmptyState title="This user is a member of no organization" />}
    />
  )
}

const COLUMNS: Column<Membership>[] = [
  {
    key: 'organization',
    label: 'Organization',
    cell: ({ organization }) => <Link href={`/staff/organizations/${organization.id}`}>{organization.name}</Link>,
  },
  { key: 'role', label: 'Role', isShort: true, cell: ({ role }) => organizationRoleName(role) },
  { key: 'createdAt', label: 'Joined', cell: ({ createdAt }) => shortDay(new Date(createdAt)) },
  {
    key: 'lastUsedAt',
    label: 'Last active',
    cell: ({ lastUsedAt }) => (lastUsedAt ? moment(new Date(lastUsedAt)) : 'Not yet'),
  },
]
