import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { closeInvitation } from '../../../core/invitations/close-invitation.ts'
import { findInvitation } from '../../../core/invitations/details-store.ts'
import { assertUsable } from '../../../core/invitations/get-usable-invitation.ts'
import { addMember } from '../../../core/memberships/add-member.ts'
import { setMemberRole } from '../../../core/memberships/set-member-role.ts'
import { findMember } from '../../../core/memberships/store.ts'
import { updateSessionRow } from '../../../core/sessions/store.ts'
import { lockUsersForShare } from '../../../core/users/lock-user.ts'
import type { InvitationRow, MemberRow } from '../../../platform/database/tables.ts'
import { lockOwnInvitation } from './lock-own-invitation.ts'

/** @throws ApiError the errors of `lockOwnInvitation`, `assertUsable` and `addMember` */
export async function acceptInvitation(
  context: Context,
  actor: Actor,
  caller: Caller,
  invitationId: string,
): Promise<{ invitation: InvitationRow; member: MemberRow }> {
  const accepted = await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const inviterId = (await findInvitation(transaction, context.now(), invitationId))?.invitation.inviterId
    const { id: userId } = caller.user
    const users = await lockUsersForShare(transaction, [userId, ...(inviterId ? [inviterId] : [])])
    const user = users.find(({ id }) => id === userId)
    const found = await lockOwnInvitation(transaction, context.now(), user, invitationId)
    if (found.invitation.inviterId !== inviterId) return undefined
    assertUsable(found, context.now())
    const { organizationId, role } = found.invitation
    const invitation = await closeInvitation(transaction, context.now(), invitationId, 'accepted')
    // Staff may invite a member as owner, if every owner is banned.
    const former = found.isOwnerNeeded ? await findMember(transaction, organizationId, userId) : undefined
    const member = former
      ? await setMemberRole(unit, former, role)
      : await addMember(transaction, context, { organizationId, userId, role })
    await updateSessionRow(transaction, caller.session.id, { activeOrganizationId: organizationId })
    await record({ action: 'invitation.accepted', subjectId: invitationId, organizationId, details: { role } })
    return { invitation, member }
  })
  // The inviter changed before the lock. The new inviter must be locked too, and users are locked before organizations.
  return accepted ?? acceptInvitation(context, actor, caller, invitationId)
}
