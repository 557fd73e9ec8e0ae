import { authentication } from '../../shared/api/authentication.ts'
import { BulkBar } from '../../shared/components/BulkBar.tsx'
import type { Bulk } from '../../shared/components/use-bulk.ts'
import { counted } from '../../shared/format/number.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { BanFields, banUser } from '../common/BanFields.tsx'

export type SelectedUser = { id: string; email: string }

type BulkActionsProps = {
  bulk: Bulk<SelectedUser>
  canSelect: boolean
  /** The selected users, also from other pages of the table. */
  selected: SelectedUser[]
  onSelectAll: (() => void) | undefined
}

/** Each user gets a request and an audit event of their own. */
export function BulkActions({ bulk, canSelect, selected, onSelectAll }: BulkActionsProps) {
  const users = counted(selected.length, 'user')
  const concerned = { about: `the ${selected.length} selected`, names: selected.map(({ email }) => email) }
  const changeEach = (change: (userId: string) => Promise<unknown>) =>
    bulk.runAsync({ rows: selected, change: ({ id }) => change(id) })

  return (
    <BulkBar
      things="users"
      canSelect={canSelect}
      selectedCount={selected.length}
      bulk={bulk}
      linkOf={(id) => `/staff/users/${id}`}
      onSelectAll={onSelectAll}
      onClear={() => bulk.setSelected(new Set())}
    >
      <InlineConfirm
        {...concerned}
        label="Sign out everywhere"
        question={`Sign out ${users} on all devices? They can sign in again.`}
        confirmLabel="Sign them out"
        pendingLabel="Signing out…"
        action={() => changeEach((userId) => authentication.admin.revokeUserSessions({ userId }))}
      />
      <InlineConfirm
        {...concerned}
        label="Ban…"
        question={`Ban ${users}? They are signed out and can’t sign in until the ban ends or is lifted.`}
        confirmLabel="Ban them"
        pendingLabel="Banning…"
        fields={<BanFields />}
        action={(value) => changeEach((userId) => banUser(userId, value))}
      />
      <InlineConfirm
        {...concerned}
        label="Lift bans"
        kind="main"
        question={`Lift the bans of ${users}? They can sign in again.`}
        confirmLabel="Lift the bans"
        pendingLabel="Lifting…"
        action={() => changeEach((userId) => authentication.admin.unbanUser({ userId }))}
      />
    </BulkBar>
  )
}
