import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { InvitationRow, MemberRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { addMember } from '../members/add-member.ts'
import { chooseOrganization } from '../sessions/choose-organization.ts'
import { assertUsable } from './find-usable-invitation.ts'
import { findInvitation, lockMemberRole, settleInvitation } from './store.ts'

/**
 * Makes the caller a member of the organization that invited their address, which becomes the session's active one.
 * @throws ApiError INVITATION_NOT_FOUND; YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION; the reason of `assertUsable`;
 *   USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION
 */
export async function acceptInvitation(
  context: Context,
  actor: Actor,
  { user, session }: Caller,
  invitationId: string,
): Promise<{ invitation: InvitationRow; member: MemberRow }> {
  return context.database.transaction().execute(async (transaction) => {
    const found = await findInvitation(transaction, invitationId)
    if (!found) throw new ApiError('INVITATION_NOT_FOUND')
    if (found.invitation.email !== user.email) throw new ApiError('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
    const { organizationId, inviterId, role } = found.invitation
    // The inviter may have been demoted a moment ago: what counts is their role once nobody else can change it.
    const inviter = await lockMemberRole(transaction, organizationId, inviterId)
    assertUsable({ ...found, inviterRole: inviter?.role ?? null }, context.now())
    const invitation = await settleInvitation(transaction, invitationId, 'accepted', context.now())
    if (!invitation) throw new ApiError('INVITATION_ALREADY_USED')

    const member = await addMember(transaction, context, { organizationId, userId: user.id, role })
    await chooseOrganization(transaction, session.id, organizationId)
    await recordEvent(transaction, context, actor, {
      action: 'invitation.accepted',
      subjectId: invitationId,
      organizationId,
      details: { role },
    })
    return { invitation, member }
  })
}
