import type { Kysely } from 'kysely'
import { compileOnce, RESULT_UNUSED } from '../../platform/database/compile-once.ts'
import type { InvitationEvent, InvitationEventRow, Tables } from '../../platform/database/tables.ts'

const insertOne = compileOnce((database, row: InvitationEventRow) => insertInto(database, [row]), RESULT_UNUSED)

export async function insertInvitationEvent(
  transaction: Kysely<Tables>,
  now: number,
  invitationId: string,
  event: InvitationEvent,
): Promise<void> {
  await insertOne(transaction, { invitationId, event, createdAt: now })
}

export async function insertInvitationEvents(
  transaction: Kysely<Tables>,
  now: number,
  invitationIds: string[],
  event: InvitationEvent,
): Promise<void> {
  const rows = invitationIds.map((invitationId) => ({ invitationId, event, createdAt: now }))
  await insertInto(transaction, rows).execute()
}

/** A repeated event has the time of the first one. */
function insertInto(database: Kysely<Tables>, rows: InvitationEventRow[]) {
  return database
    .insertInto('invitationEvents')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
}

export async function listInvitationEvents(
  database: Kysely<Tables>,
  invitationIds: string[],
): Promise<InvitationEventRow[]> {
  if (invitationIds.length === 0) return []
  return database.selectFrom('invitationEvents').selectAll().where('invitationId', 'in', invitationIds).execute()
}
