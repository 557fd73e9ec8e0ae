import { useState } from 'react'
import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { User } from '../../../server/core/users/schemas.ts'
import { useTableQuery } from '../../shared/api/use-table-query.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { useBulk } from '../../shared/components/use-bulk.ts'
import { moment, shortDay } from '../../shared/format/moment.ts'
import { serviceRoleName } from '../../shared/format/role-name.ts'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { useTableAddress } from '../../shared/routing/table-address.ts'
import { SignInStatus } from '../common/SignInStatus.tsx'
import { BulkActions, type SelectedUser } from './BulkActions.tsx'
import { readFilters } from './filters.ts'
import { usersQuery } from './queries.ts'
import { UserSearch } from './UserSearch.tsx'

const WHOLE_EMAIL_ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/

type ListedUser = Static<typeof User>

export function Users() {
  const bulk = useBulk<SelectedUser>(
    ({ id }) => id,
    ({ email }) => email,
  )
  const [emails, setEmails] = useState<ReadonlyMap<string, string>>(new Map())
  const { search, listing, propsFor } = useTableAddress({ by: 'createdAt', direction: 'desc' })
  const values = useAddressValues()
  const filters = readFilters(values.getAll('filter'))
  const { data, table } = useTableQuery(usersQuery({ search, filters, ...listing }))

  const listed = data?.users ?? []
  const selected = [...bulk.selected].map((id) => ({ id, email: emails.get(id) ?? id }))

  /** Users of other pages stay selected, and questions name them. */
  function select(ids: ReadonlySet<string>) {
    setEmails(new Map([...emails, ...listed.map(({ id, email }) => [id, email] as const)]))
    bulk.setSelected(ids)
  }

  return (
    <FramePage heading="Users" isWide>
      <UserSearch
        search={search}
        filters={filters}
        onSearch={(text, chosen) => values.set({ search: text, filter: chosen }, true)}
      />
      {WHOLE_EMAIL_ADDRESS.test(search) && <SignInStatus query={{ email: search }} />}
      <BulkActions
        bulk={bulk}
        canSelect={data?.users.length !== 0}
        selected={selected}
        onSelectAll={data && !table.isUpdating ? () => select(new Set(data.users.map(({ id }) => id))) : undefined}
      />
      <DataTable
        caption="Users"
        columns={COLUMNS}
        rows={data?.users}
        rowKey={({ id }) => id}
        {...table}
        {...propsFor(data?.total)}
        selection={{ selected: bulk.selected, onChange: select, nameOf: ({ email }) => email }}
        empty={
          <EmptyState title="No such user">
            <p className="soft">
              A part of the name or of the email address is enough. An invited user has no account before signing up:
              look under <Link href={`/staff/invitations?email=${encodeURIComponent(search)}`}>Invitations</Link>.
            </p>
          </EmptyState>
        }
      />
    </FramePage>
  )
}

const COLUMNS: Column<ListedUser>[] = [
  {
    key: 'name',
    label: 'Name',
    isSortable: true,
    cell: ({ id, name }) => <Link href={`/staff/users/${id}`}>{name}</Link>,
  },
  { key: 'email', label: 'Email address', isSortable: true, cell: ({ email }) => email },
  {
    key: 'role',
    label: 'Role',
    isSortable: true,
    isShort: true,
    cell: ({ role }) => serviceRoleName(role),
  },
  { key: 'banned', label: 'State', cell: (user) => <State user={user} /> },
  {
    key: 'createdAt',
    label: 'Created',
    isSortable: true,
    isShort: true,
    cell: ({ createdAt }) => shortDay(new Date(createdAt)),
  },
]

function State({ user: { banned, banExpires, emailVerified } }: { user: ListedUser }) {
  if (banned)
    return <span className="badge badge-bad">Banned{banExpires && ` until ${moment(new Date(banExpires))}`}</span>
  return emailVerified ? 'Active' : <span className="badge badge-open">Address not verified</span>
}
