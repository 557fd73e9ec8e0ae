import type { Context } from '../context.ts'
import { findUsableInvitation } from './find-usable-invitation.ts'
import { recordInvitationEvent } from './record-invitation-event.ts'
import type { InvitationDetails } from './store.ts'

/**
 * The invitation whose link is followed. It stays as it is, be it a mail scanner that follows; its timeline says when
 * that first happened.
 * @throws ApiError as `findUsableInvitation`
 */
export async function openInvitation(context: Context, reference: string): Promise<InvitationDetails> {
  const details = await findUsableInvitation(context.database, context.now(), reference)
  await recordInvitationEvent(context.database, context.now(), details.invitation.id, 'opened')
  return details
}
