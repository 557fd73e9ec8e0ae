import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { closeInvitation } from '../../../core/invitations/close-invitation.ts'
import { lockUserForShare } from '../../../core/users/lock-user.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { lockOwnInvitation } from './lock-own-invitation.ts'

/** The invitation may have expired. @throws ApiError INVITATION_ALREADY_USED; the errors of `lockOwnInvitation` */
export async function rejectInvitation(
  context: Context,
  actor: Actor,
  { user }: Caller,
  invitationId: string,
): Promise<InvitationRow> {
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const locked = await lockUserForShare(transaction, user.id)
    const { invitation } = await lockOwnInvitation(transaction, context.now(), locked, invitationId)
    const { organizationId } = invitation
    const rejected = await closeInvitation(transaction, context.now(), invitationId, 'rejected')
    await record({ action: 'invitation.rejected', subjectId: invitationId, organizationId })
    return rejected
  })
}
