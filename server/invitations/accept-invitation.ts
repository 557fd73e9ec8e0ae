import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { InvitationRow, MemberRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { addMember } from '../members/add-member.ts'
import { chooseOrganization } from '../sessions/choose-organization.ts'
import { holdUser } from '../users/lock-user.ts'
import { assertUsable } from './find-usable-invitation.ts'
import { lockOwnInvitation } from './lock-own-invitation.ts'
import { settleInvitation } from './settle-invitation.ts'

/**
 * Makes the caller a member of the organization that invited their address, which becomes the session's active one.
 * @throws ApiError UNAUTHORIZED where the user is gone; INVITATION_NOT_FOUND; the reason of `assertUsable`; USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION
 */
export async function acceptInvitation(
  context: Context,
  actor: Actor,
  caller: Caller,
  invitationId: string,
): Promise<{ invitation: InvitationRow; member: MemberRow }> {
  return context.database.transaction().execute(async (transaction) => {
    const user = await holdUser(transaction, caller.user.id)
    if (!user) throw new ApiError('UNAUTHORIZED')
    const found = await lockOwnInvitation(transaction, user, invitationId)
    assertUsable(found, context.now())
    const { organizationId, role } = found.invitation
    const invitation = await settleInvitation(transaction, context.now(), invitationId, 'accepted')
    const member = await addMember(transaction, context, { organizationId, userId: user.id, role })
    await chooseOrganization(transaction, caller.session.id, organizationId)
    await recordEvent(transaction, context, actor, {
      action: 'invitation.accepted',
      subjectId: invitationId,
      organizationId,
      details: { role },
    })
    return { invitation, member }
  })
}
