import type { Kysely } from 'kysely'
import type { InvitationEventRow, Tables } from '../../platform/database/tables.ts'

type InvitationEvent = 'opened' | 'signed up' | 'accepted' | 'rejected' | 'canceled'

export function insertInvitationEvent(
  transaction: Kysely<Tables>,
  now: number,
  invitationId: string,
  event: InvitationEvent,
): Promise<void> {
  return insertInvitationEvents(transaction, now, [invitationId], event)
}

/** A repeated event has the time of the first one. */
export async function insertInvitationEvents(
  transaction: Kysely<Tables>,
  now: number,
  invitationIds: string[],
  event: InvitationEvent,
): Promise<void> {
  await transaction
    .insertInto('invitationEvents')
    .values(invitationIds.map((invitationId) => ({ invitationId, event, createdAt: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function listInvitationEvents(
  database: Kysely<Tables>,
  invitationIds: string[],
): Promise<InvitationEventRow[]> {
  if (invitationIds.length === 0) return []
  return database.selectFrom('invitationEvents').selectAll().where('invitationId', 'in', invitationIds).execute()
}
