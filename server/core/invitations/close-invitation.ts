import type { Kysely } from 'kysely'
import type { InvitationRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { recordInvitationEvent } from './record-invitation-event.ts'
import { answerInvitation } from './store.ts'

/** The end of an invitation, once and for all. @throws ApiError INVITATION_ALREADY_USED when it has one already */
export async function closeInvitation(
  transaction: Kysely<Tables>,
  now: number,
  id: string,
  status: 'accepted' | 'rejected' | 'canceled',
): Promise<InvitationRow> {
  const invitation = await answerInvitation(transaction, id, status)
  if (!invitation) throw new ApiError('INVITATION_ALREADY_USED')
  await recordInvitationEvent(transaction, now, id, status)
  return invitation
}
