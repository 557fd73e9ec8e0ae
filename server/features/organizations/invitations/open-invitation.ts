import type { Context } from '../../../core/context.ts'
import type { InvitationDetails } from '../../../core/invitations/details-store.ts'
import { lockUsableInvitation } from '../../../core/invitations/get-usable-invitation.ts'
import { insertInvitationEvent } from '../../../core/invitations/invitation-events.ts'

/** Changes only the timeline, because mail scanners follow links too. @throws ApiError as `lockUsableInvitation` */
export function openInvitation(context: Context, reference: string): Promise<InvitationDetails> {
  return context.database.transaction().execute(async (transaction) => {
    const details = await lockUsableInvitation(transaction, context.now(), reference)
    await insertInvitationEvent(transaction, context.now(), details.invitation.id, 'opened')
    return details
  })
}
