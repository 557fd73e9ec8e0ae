import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { ListOrganizationMembersResponse } from '../../../server/features/staff/organizations/schemas.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { moment, shortDay } from '../../shared/format/moment.ts'
import { organizationRoleName } from '../../shared/format/role-name.ts'
import { usePage } from '../common/use-page.ts'

type MemberPage = Static<typeof ListOrganizationMembersResponse>

export function Members({ organizationId }: { organizationId: string }) {
  const { page, offset, limit, ...table } = usePage<MemberPage>('list-organization-members', { organizationId })
  return (
    <DataTable
      caption="Members"
      columns={COLUMNS}
      rows={page?.members}
      rowKey={({ id }) => id}
      page={{ offset, limit, total: page?.total }}
      empty={<EmptyState title="This organization has no member yet" />}
      {...table}
    />
  )
}

const COLUMNS: Column<MemberPage['members'][number]>[] = [
  { key: 'name', label: 'Name', cell: ({ user }) => <Link href={`/staff/users/${user.id}`}>{user.name}</Link> },
  { key: 'email', label: 'Email address', cell: ({ user }) => user.email },
  { key: 'role', label: 'Role', isShort: true, cell: ({ role }) => organizationRoleName(role) },
  { key: 'createdAt', label: 'Joined', isShort: true, cell: ({ createdAt }) => shortDay(new Date(createdAt)) },
  {
    key: 'lastUsedAt',
    label: 'Last active',
    cell: ({ lastUsedAt }) => (lastUsedAt ? moment(new Date(lastUsedAt)) : 'Not yet'),
  },
]
