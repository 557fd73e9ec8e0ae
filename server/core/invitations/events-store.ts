import type { Kysely } from 'kysely'
import type { InvitationEventRow, Tables } from '../../platform/database/tables.ts'

/** Each event counts once, however often it happens. */
export async function insertInvitationEvent(database: Kysely<Tables>, event: InvitationEventRow): Promise<void> {
  await database
    .insertInto('invitationEvents')
    .values(event)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function findInvitationEvents(
  database: Kysely<Tables>,
  invitationIds: string[],
): Promise<InvitationEventRow[]> {
  if (invitationIds.length === 0) return []
  return database.selectFrom('invitationEvents').selectAll().where('invitationId', 'in', invitationIds).execute()
}
