import type { Context } from '../../../core/context.ts'
import { lockUsableInvitation } from '../../../core/invitations/get-usable-invitation.ts'
import { recordInvitationEvent } from '../../../core/invitations/record-invitation-event.ts'
import type { InvitationDetails } from '../../../core/invitations/store.ts'

/**
 * The invitation whose link is followed. It stays as it is, be it a mail scanner that follows; its timeline says when
 * that first happened.
 * @throws ApiError as `getUsableInvitation`
 */
export function openInvitation(context: Context, reference: string): Promise<InvitationDetails> {
  return context.database.transaction().execute(async (transaction) => {
    const details = await lockUsableInvitation(transaction, context.now(), reference)
    await recordInvitationEvent(transaction, context.now(), details.invitation.id, 'opened')
    return details
  })
}
