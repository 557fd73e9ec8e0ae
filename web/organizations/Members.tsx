import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { type Column, DataTable } from '../shared/components/DataTable.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { findValue } from '../shared/format/find-value.ts'
import { day } from '../shared/format/moment.ts'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'
import { useTableAddress } from '../shared/routing/table-address.ts'
import { membersQuery, roleQuery } from './queries.ts'
import { RemoveMember } from './RemoveMember.tsx'
import { RoleSelect } from './RoleSelect.tsx'

const LIMIT = 50

type Member = {
  id: string
  organizationId: string
  role: string
  createdAt: Date
  user: { name: string; email: string }
}

export function Members() {
  const { slug } = useParams<{ slug: string }>()
  const address = useTableAddress({ by: 'createdAt', direction: 'asc' })
  const { sort, offset } = address
  const listing = { limit: LIMIT, offset, sortBy: sort.by, sortDirection: sort.direction }
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...membersQuery(slug, listing),
    placeholderData: keepPreviousData,
  })
  const { data: own } = useQuery(roleQuery(slug))
  const canManage = own?.role === 'owner' || own?.role === 'admin'
  const count = data?.members.length ?? 0
  const total = data?.total
  return (
    <FramePage heading="Members" isWide>
      <DataTable
        caption="Members"
        columns={canManage ? [...COLUMNS, ROLE_CONTROL, REMOVAL] : [...COLUMNS, ROLE]}
        rows={data?.members}
        rowKey={({ id }) => id}
        error={error}
        retry={refetch}
        isUpdating={isPlaceholderData}
        sort={sort}
        onSort={address.setSort}
        page={{ offset, limit: LIMIT, count, total, hasMore: offset + count < (total ?? 0) }}
        onPage={address.setOffset}
        empty={<EmptyState title="No members" />}
      />
    </FramePage>
  )
}

const COLUMNS: Column<Member>[] = [
  { key: 'name', label: 'Name', cell: ({ user }) => user.name },
  { key: 'email', label: 'Email address', cell: ({ user }) => user.email },
  { key: 'createdAt', label: 'Joined', isSortable: true, cell: ({ createdAt }) => day(new Date(createdAt)) },
]

const ROLE: Column<Member> = {
  key: 'role',
  label: 'Role',
  isSortable: true,
  cell: ({ role }) => findValue(ORGANIZATION_ROLES, role) ?? role,
}

const ROLE_CONTROL: Column<Member> = { ...ROLE, cell: (member) => <RoleSelect member={member} /> }

const REMOVAL: Column<Member> = { key: 'removal', label: 'Actions', cell: (member) => <RemoveMember member={member} /> }
