import { ActionButton } from '../shared/components/ActionButton.tsx'
import { BulkBar } from '../shared/components/BulkBar.tsx'
import type { Bulk } from '../shared/components/use-bulk.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { cancelInvitation, sendAgain } from './change-invitation.ts'
import { OWNERS_CHANGE_INVITATION } from './obstacles.ts'
import type { Invitation } from './queries.ts'
import { mayGrantRole, type Role } from './roles.ts'

type InvitationBulkProps = {
  bulk: Bulk<Invitation>
  /** The invitations on the page that can be selected. Undefined while they load. */
  invitations: Invitation[] | undefined
  /** The shown invitations are not those of the address, which load. */
  isUpdating: boolean
  granterRole: Role
  /** Whether the organization has open invitations. */
  hasOpen: boolean
}

export function InvitationBulk({ bulk, invitations, isUpdating, granterRole, hasOpen }: InvitationBulkProps) {
  const rows = invitations?.filter(({ id }) => bulk.selected.has(id)) ?? []
  const mayChange = rows.every(({ role }) => mayGrantRole(granterRole, role))
  return (
    <BulkBar
      things="invitations"
      canSelect={invitations ? invitations.length > 0 : hasOpen}
      selectedCount={rows.length}
      bulk={bulk}
      onSelectAll={
        invitations && !isUpdating ? () => bulk.setSelected(new Set(invitations.map(({ id }) => id))) : undefined
      }
      onClear={() => bulk.setSelected(new Set())}
    >
      {mayChange ? (
        <>
          <ActionButton
            kind="quiet"
            isPending={bulk.isRunning}
            pendingLabel="Sending…"
            onPress={() => bulk.run({ rows, change: sendAgain })}
          >
            Send again
          </ActionButton>
          <InlineConfirm
            label="Cancel…"
            about="the selected invitations"
            question={
              rows.length === 1
                ? 'Cancel this invitation? Its link stops working. You can invite the address again.'
                : `Cancel these ${rows.length} invitations? Their links stop working. You can invite the addresses again.`
            }
            names={rows.map(({ email }) => email)}
            confirmLabel="Cancel the selected invitations"
            pendingLabel="Canceling…"
            action={() => bulk.runAsync({ rows, change: cancelInvitation })}
          />
        </>
      ) : (
        <p className="obstacle">{OWNERS_CHANGE_INVITATION}</p>
      )}
    </BulkBar>
  )
}
