import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Column, DataTable } from '../shared/components/DataTable.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { SearchField } from '../shared/components/SearchField.tsx'
import { findValue } from '../shared/format/find-value.ts'
import { day } from '../shared/format/moment.ts'
import { SERVICE_ROLES } from '../shared/format/role-name.ts'
import { useTableAddress } from '../shared/routing/table-address.ts'
import { usersQuery } from './queries.ts'
import { SignOutUsers } from './SignOutUsers.tsx'

const LIMIT = 50

type User = Awaited<ReturnType<NonNullable<ReturnType<typeof usersQuery>['queryFn']>>>['users'][number]

const COLUMNS: Column<User>[] = [
  {
    key: 'name',
    label: 'Name',
    isSortable: true,
    cell: ({ id, name }) => <Link href={`/staff/users/${id}`}>{name}</Link>,
  },
  { key: 'email', label: 'Email address', isSortable: true, cell: ({ email }) => email },
  { key: 'role', label: 'Role', isSortable: true, cell: ({ role = 'user' }) => findValue(SERVICE_ROLES, role) ?? role },
  { key: 'banned', label: 'State', cell: ({ banned }) => (banned ? 'Banned' : 'Active') },
  { key: 'createdAt', label: 'Created', isSortable: true, cell: ({ createdAt }) => day(new Date(createdAt)) },
]

export function Users() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const address = useTableAddress({ by: 'createdAt', direction: 'desc' })
  const { search, sort, offset } = address
  const listing = { searchValue: search, sortBy: sort.by, sortDirection: sort.direction, limit: LIMIT, offset }
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...usersQuery(listing),
    placeholderData: keepPreviousData,
  })
  const count = data?.users.length ?? 0
  const total = data?.total
  return (
    <FramePage heading="Users" isWide>
      <SearchField label="Search by email address" value={search} onSearch={address.setSearch} />
      {selected.size > 0 && <SignOutUsers ids={selected} onDone={() => setSelected(new Set())} />}
      <DataTable
        caption="Users"
        columns={COLUMNS}
        rows={data?.users}
        rowKey={({ id }) => id}
        error={error}
        retry={refetch}
        isUpdating={isPlaceholderData}
        sort={sort}
        onSort={address.setSort}
        page={{ offset, limit: LIMIT, count, total, hasMore: offset + count < (total ?? 0) }}
        onPage={address.setOffset}
        selection={{ selected, onChange: setSelected, nameOf: ({ email }) => email }}
        empty={
          <EmptyState title="No user has such an email address">
            <p className="soft">A part of the address is enough.</p>
          </EmptyState>
        }
      />
    </FramePage>
  )
}
