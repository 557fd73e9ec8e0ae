import type { Context } from '../context.ts'
import { holdUsableInvitation } from './find-usable-invitation.ts'
import { recordInvitationEvent } from './record-invitation-event.ts'
import type { InvitationDetails } from './store.ts'

/**
 * The invitation whose link is followed. It stays as it is, be it a mail scanner that follows; its timeline says when
 * that first happened.
 * @throws ApiError as `findUsableInvitation`
 */
export function openInvitation(context: Context, reference: string): Promise<InvitationDetails> {
  return context.database.transaction().execute(async (transaction) => {
    const details = await holdUsableInvitation(transaction, context.now(), reference)
    await recordInvitationEvent(transaction, context.now(), details.invitation.id, 'opened')
    return details
  })
}
