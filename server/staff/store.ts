import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

/** These people and every administrator, in the order of their ids. */
export function lockPeople(transaction: Kysely<Tables>, ids: string[]): Promise<UserRow[]> {
  return transaction
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('id', 'in', ids), where('role', '=', 'admin')]))
    .orderBy('id')
    .forUpdate()
    .execute()
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
  if (!(await selectOver(database, now).limit(1).executeTakeFirst())) return
  await database.transaction().execute(async (transaction) => {
    // Apart from the update, which would begin with the rows as they were before they were waited for.
    await selectOver(transaction, now).orderBy('id').forNoKeyUpdate().execute()
    await transaction
      .updateTable('users')
      .set({ banned: 0, banReason: null, banExpires: null })
      .where('banExpires', '<=', now)
      .execute()
  })
}

function selectOver(database: Kysely<Tables>, now: number) {
  return database.selectFrom('users').select('id').where('banExpires', '<=', now)
}
