import type { Kysely } from 'kysely'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { InvitationRow, InvitationStatus, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { discardInvitationEmails } from '../../platform/mail/outbox.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { insertInvitationEvent, insertInvitationEvents } from './invitation-events.ts'
import type { CanceledInvitation } from './store.ts'

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

export async function completeCancellations(
  { transaction, context, recordAll }: UnitOfWork,
  canceled: CanceledInvitation[],
  details: { reason?: string } = {},
): Promise<void> {
  const now = context.now()
  for (const ids of chunksOf(canceled.map(({ id }) => id))) {
    await discardInvitationEmails(transaction, now, ids)
    await insertInvitationEvents(transaction, now, ids, 'canceled')
  }
  await recordAll(
    canceled.map(({ id, organizationId }) => ({
      action: 'invitation.canceled',
      subjectId: id,
      organizationId,
      details,
    })),
  )
}
