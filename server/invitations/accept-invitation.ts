import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { InvitationRow, MemberRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { addMember } from '../members/add-member.ts'
import { chooseOrganization } from '../sessions/choose-organization.ts'
import { isBanned } from '../users/banned.ts'
import { lockUsersForShare } from '../users/lock-user.ts'
import { assertUsable } from './find-usable-invitation.ts'
import { lockOwnInvitation } from './lock-own-invitation.ts'
import { settleInvitation } from './settle-invitation.ts'
import { findInvitation } from './store.ts'

/**
 * Makes the caller a member of the organization that invited their address, which becomes the session's active one.
 * @throws ApiError UNAUTHORIZED where the user is gone or banned by now; INVITATION_NOT_FOUND; the reason of `assertUsable`; USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION
 */
export async function acceptInvitation(
  context: Context,
  actor: Actor,
  caller: Caller,
  invitationId: string,
): Promise<{ invitation: InvitationRow; member: MemberRow }> {
  const accepted = await context.database.transaction().execute(async (transaction) => {
    const inviterId = (await findInvitation(transaction, invitationId))?.invitation.inviterId
    const users = await lockUsersForShare(transaction, [caller.user.id, ...(inviterId ? [inviterId] : [])])
    const user = users.find(({ id }) => id === caller.user.id)
    if (!user || isBanned(user, context.now())) throw new ApiError('UNAUTHORIZED')
    const found = await lockOwnInvitation(transaction, user, invitationId)
    if (found.invitation.inviterId !== inviterId) return undefined
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
  // Another user is the inviter by now, who has to be locked before the organization.
  return accepted ?? acceptInvitation(context, actor, caller, invitationId)
}
