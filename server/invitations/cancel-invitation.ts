import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { InvitationRow } from '../database/tables.ts'
import type { Membership } from '../http/access.ts'
import { lockMembership } from '../members/lock-membership.ts'
import { settleInvitation } from './settle-invitation.ts'

/**
 * Withdraws an invitation: its link opens nothing any more.
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; INVITATION_ALREADY_USED
 */
export async function cancelInvitation(
  context: Context,
  actor: Actor,
  membership: Membership,
  invitationId: string,
): Promise<InvitationRow> {
  return context.database.transaction().execute(async (transaction) => {
    const { organization } = await lockMembership(transaction, membership, 'invitation.cancel')
    const canceled = await settleInvitation(transaction, context.now(), invitationId, 'canceled')
    await recordEvent(transaction, context, actor, {
      action: 'invitation.canceled',
      subjectId: invitationId,
      organizationId: organization.id,
    })
    return canceled
  })
}
