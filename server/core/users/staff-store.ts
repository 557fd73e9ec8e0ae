import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

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

export async function hasExpiredBan(database: Kysely<Tables>, now: number): Promise<boolean> {
  return (await selectExpiredBans(database, now).limit(1).executeTakeFirst()) !== undefined
}

/** Some users whose ban is over, locked; of concurrent processes each gets others. */
export function lockExpiredBans(transaction: Kysely<Tables>, now: number, limit: number): Promise<{ id: string }[]> {
  return selectExpiredBans(transaction, now).orderBy('id').limit(limit).forUpdate().skipLocked().execute()
}

function selectExpiredBans(database: Kysely<Tables>, now: number) {
  return database.selectFrom('users').select('id').where('banExpires', '<=', now)
}
