import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

/** These people and every administrator, always in the same order, so that two who lock wait and never block each other. */
export function lockPeople(transaction: Kysely<Tables>, ids: string[]): Promise<UserRow[]> {
  return transaction
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('id', 'in', ids), where('role', '=', 'admin')]))
    .orderBy('id')
    .forUpdate()
    .execute()
}

export function lockAdmins(transaction: Kysely<Tables>): Promise<UserRow[]> {
  return transaction.selectFrom('users').selectAll().where('role', '=', 'admin').orderBy('id').forUpdate().execute()
}

/** The user is locked, and so is there. */
export function changeUser(
  transaction: Kysely<Tables>,
  id: string,
  change: Partial<Omit<UserRow, 'id'>>,
): Promise<UserRow> {
  return transaction.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** A ban that is over is none, for queries too that look at the columns. @param now epoch milliseconds */
export async function liftExpiredBans(database: Kysely<Tables>, now: number): Promise<void> {
  const isOver = database.selectFrom('users').select('id').where('banExpires', '<=', now)
  if (!(await isOver.limit(1).executeTakeFirst())) return
  await database
    .updateTable('users')
    .set({ banned: 0, banReason: null, banExpires: null })
    .where('banExpires', '<=', now)
    .execute()
}
