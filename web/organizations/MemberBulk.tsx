import type { ReactNode } from 'react'
import { authentication } from '../shared/api/authentication.ts'
import { BulkBar } from '../shared/components/BulkBar.tsx'
import type { Bulk } from '../shared/components/use-bulk.ts'
import { isolated } from '../shared/format/isolated.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { showNotice } from '../shared/routing/page-state.ts'
import { BulkRole } from './BulkRole.tsx'
import type { Member, Overview } from './queries.ts'
import { RemovalQuestion } from './RemovalQuestion.tsx'
import { RevokesKeysField } from './RevokesKeysField.tsx'
import { removalNotice } from './removal-notice.ts'
import { type RemovedMember, removeMember } from './remove-member.ts'
import type { Role } from './roles.ts'

type MemberBulkProps = {
  bulk: Bulk<Member>
  /** The members on the page who can be selected. Undefined while they load. */
  members: Member[] | undefined
  /** The shown members are not those of the address, which load. */
  isUpdating: boolean
  overview: Overview
  onNotice: (notice: ReactNode) => void
}

export function MemberBulk({ bulk, members, isUpdating, overview, onNotice }: MemberBulkProps) {
  const selected = members?.filter(({ id }) => bulk.selected.has(id)) ?? []

  async function setRoles(rows: Member[], roleOf: (member: Member) => Role): Promise<Member[]> {
    onNotice(null)
    const changed: Member[] = []
    const change = async (member: Member) => {
      const { id: memberId, organizationId } = member
      await authentication.organization.updateMemberRole({ memberId, organizationId, role: roleOf(member) })
      changed.push(member)
    }
    await bulk.run({ rows, change })
    return changed
  }

  async function changeRoles(role: Role) {
    const changed = await setRoles(selected, () => role)
    if (changed.length > 0)
      onNotice(<RolesChanged count={changed.length} onUndo={() => setRoles(changed, ({ role }) => role)} />)
  }

  return (
    <BulkBar
      things="members"
      canSelect={members ? members.length > 0 : hasOthers(overview)}
      selectedCount={selected.length}
      bulk={bulk}
      onSelectAll={members && !isUpdating ? () => bulk.setSelected(new Set(members.map(({ id }) => id))) : undefined}
      onClear={() => bulk.setSelected(new Set())}
    >
      <BulkRole granterRole={overview.role} isRunning={bulk.isRunning} onChoose={changeRoles} />
      <BulkRemoval bulk={bulk} members={selected} overview={overview} onNotice={onNotice} />
    </BulkBar>
  )
}

/** Whether the caller can change another member. Admins change no owners. */
function hasOthers({ role, memberCounts: { owner, admin, member } }: Overview): boolean {
  return (role === 'owner' ? owner : 0) + admin + member > 1
}

type BulkRemovalProps = Omit<MemberBulkProps, 'members' | 'isUpdating'> & { members: Member[] }

function BulkRemoval({ bulk, members, overview, onNotice }: BulkRemovalProps) {
  async function remove(value: (name: string) => string) {
    onNotice(null)
    const revokesKeys = value('revokesKeys') === 'on'
    const removals: { name: string; removed: RemovedMember }[] = []
    const change = async (member: Member) => {
      removals.push({ name: member.user.name, removed: await removeMember(member, revokesKeys) })
    }
    try {
      await bulk.runAsync({ rows: members, change })
    } finally {
      if (removals.length > 0) showNotice(removalNotice(removals))
    }
  }

  return (
    <InlineConfirm
      label="Remove…"
      about="the selected members"
      question={
        <RemovalQuestion organizationName={overview.organization.name}>
          Remove {members.length === 1 ? 'this member' : `these ${members.length} members`}?
        </RemovalQuestion>
      }
      names={members.map(({ user }) => `${isolated(user.name)} (${user.email})`)}
      fields={<RevokesKeysField />}
      confirmLabel="Remove the selected members"
      pendingLabel="Removing…"
      action={remove}
    />
  )
}

function RolesChanged({ count, onUndo }: { count: number; onUndo: () => void }) {
  return (
    <>
      <p>{count === 1 ? 'The role of one member is changed.' : `The roles of ${count} members are changed.`}</p>
      <button type="button" className="text-button" onClick={onUndo}>
        Undo
      </button>
    </>
  )
}
