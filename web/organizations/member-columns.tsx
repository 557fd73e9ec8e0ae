import type { ReactNode } from 'react'
import type { Column } from '../shared/components/DataTable.tsx'
import { OpenRowButton } from '../shared/components/OpenRowButton.tsx'
import { shortDay } from '../shared/format/moment.ts'
import { organizationRoleName } from '../shared/format/role-name.ts'
import type { OpenRow } from '../shared/routing/open-row.ts'
import { MemberRole } from './MemberRole.tsx'
import type { Shown } from './OrganizationPage.tsx'
import type { Member } from './queries.ts'

type MemberColumnsOptions = Shown & { callerId: string; openRow: OpenRow; onNotice: (notice: ReactNode) => void }

export function memberColumns({
  overview,
  obstacles,
  callerId,
  openRow,
  onNotice,
}: MemberColumnsOptions): Column<Member>[] {
  const mayManage = obstacles.manage === undefined
  const obstacleOf = (member: Member) => findMemberObstacle(member, overview, callerId)
  const facts: Column<Member>[] = [
    { key: 'name', label: 'Name', isSortable: true, cell: ({ user }) => user.name },
    { key: 'email', label: 'Email address', isSortable: true, cell: ({ user }) => user.email },
    {
      key: 'role',
      label: 'Role',
      isSortable: true,
      cell: (member) =>
        mayManage ? (
          <MemberRole
            member={member}
            granterRole={overview.role}
            obstacle={obstacleOf(member)}
            onChange={() => onNotice(null)}
          />
        ) : (
          organizationRoleName(member.role)
        ),
    },
    {
      key: 'createdAt',
      label: 'Joined',
      isSortable: true,
      isShort: true,
      cell: ({ createdAt }) => shortDay(new Date(createdAt)),
    },
    {
      key: 'lastUsedAt',
      label: 'Last active',
      isShort: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Not yet' : shortDay(new Date(lastUsedAt))),
    },
  ]
  if (!mayManage) return facts
  const removal: Column<Member> = {
    key: 'removal',
    label: 'Remove',
    isShort: true,
    cell: (member) =>
      obstacleOf(member) === undefined && (
        <OpenRowButton openRow={openRow} id={member.id} label="Remove…" about={member.user.name} />
      ),
  }
  return [...facts, removal]
}

/** Why an owner or an admin can't change a member. */
export function findMemberObstacle(
  { userId, role }: Member,
  { role: callerRole, memberCounts }: Shown['overview'],
  callerId: string,
): string | undefined {
  if (role === 'owner' && callerRole !== 'owner') return 'Only owners change an owner.'
  if (userId !== callerId) return undefined
  if (role === 'owner' && memberCounts.owner === 1) return 'You are the only owner. Make another member an owner first.'
  return 'This is you. Another owner or admin changes your role.'
}
