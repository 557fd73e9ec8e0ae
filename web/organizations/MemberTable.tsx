import { type ReactNode, useState } from 'react'
import { useCaller } from '../shared/api/caller.ts'
import { useTableQuery } from '../shared/api/use-table-query.ts'
import { DataTable } from '../shared/components/DataTable.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { EmptyState } from '../shared/components/EmptyState.tsx'
import { Filter } from '../shared/components/Filter.tsx'
import { SearchField } from '../shared/components/SearchField.tsx'
import { useBulk } from '../shared/components/use-bulk.ts'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'
import { useOpenRow } from '../shared/routing/open-row.ts'
import { hideNotices } from '../shared/routing/page-state.ts'
import { useTableAddress } from '../shared/routing/table-address.ts'
import { MemberBulk } from './MemberBulk.tsx'
import { findMemberObstacle, memberColumns } from './member-columns.tsx'
import type { Shown } from './OrganizationPage.tsx'
import { type Member, membersQuery } from './queries.ts'
import { RemoveMember } from './RemoveMember.tsx'

export function MemberTable({ overview, obstacles }: Shown) {
  const { user } = useCaller()
  const { id: organizationId } = overview.organization
  const address = useTableAddress({ by: 'createdAt', direction: 'asc' })
  const { search } = address
  const role = address.filter('role')
  const [notice, setNotice] = useState<ReactNode>(null)
  const openRow = useOpenRow()
  const bulk = useBulk<Member>(
    ({ id }) => id,
    ({ user: { name, email } }) => `${name} (${email})`,
  )
  const { data, table } = useTableQuery(
    membersQuery(organizationId, {
      ...address.listing,
      searchValue: search,
      ...(role !== '' && { filterField: 'role', filterValue: role }),
    }),
  )
  function replaceNotice(next: ReactNode) {
    hideNotices()
    setNotice(next)
  }
  const mayManage = obstacles.manage === undefined
  const mayChange = (member: Member) => findMemberObstacle(member, overview, user.id) === undefined
  return (
    <>
      {!mayManage && <p className="obstacle">Changing roles and removing members: {obstacles.manage}</p>}
      <DoneNotice onClose={() => setNotice(null)}>{notice}</DoneNotice>
      <div className="table-tools">
        <SearchField label="Search by name or email address" value={search} onSearch={address.setSearch} />
        <Filter
          label="Role"
          options={ORGANIZATION_ROLES}
          value={role}
          onChange={(value) => address.setFilter('role', value)}
        />
      </div>
      {mayManage && (
        <MemberBulk
          bulk={bulk}
          members={data?.members.filter(mayChange)}
          isUpdating={table.isUpdating}
          overview={overview}
          onNotice={replaceNotice}
        />
      )}
      <DataTable
        caption="Members"
        columns={memberColumns({ overview, obstacles, callerId: user.id, openRow, onNotice: replaceNotice })}
        rows={data?.members}
        rowKey={({ id }) => id}
        {...table}
        {...address.propsFor(data?.total)}
        {...(mayManage && {
          selection: {
            selected: bulk.selected,
            onChange: bulk.setSelected,
            nameOf: (member: Member) => member.user.name,
            canSelect: mayChange,
          },
        })}
        details={(member) => {
          if (!mayManage || member.id !== openRow.id || !mayChange(member)) return null
          return (
            <RemoveMember
              member={member}
              organizationName={overview.organization.name}
              onSend={() => replaceNotice(null)}
              onClose={() => openRow.close(member.id)}
            />
          )
        }}
        empty={
          <EmptyState title="No member matches">
            <p className="soft">A part of the name or of the email address is enough.</p>
          </EmptyState>
        }
      />
    </>
  )
}
