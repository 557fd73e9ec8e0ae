import type { Kysely } from 'kysely'
import type { InvitationRow, InvitationStatus, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { discardInvitationEmails } from '../../platform/mail/outbox.ts'
import { insertInvitationEvent } from './invitation-events.ts'

/** Compare-and-set: one of several concurrent calls succeeds. @throws ApiError INVITATION_ALREADY_USED */
export async function closeInvitation(
  transaction: Kysely<Tables>,
  now: number,
  id: string,
  status: Exclude<InvitationStatus, 'pending'>,
): Promise<InvitationRow> {
  const invitation = await transaction
    .updateTable('invitations')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
  if (!invitation) throw new ApiError('INVITATION_ALREADY_USED')
  await discardInvitationEmails(transaction, now, [id])
  await insertInvitationEvent(transaction, now, id, status)
  return invitation
}
