import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

/** The unique index decides who is first: undefined when the address is taken. */
export function insertUser(database: Kysely<Tables>, user: UserRow): Promise<UserRow | undefined> {
  return database
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** For a transaction that has locked the user. */
export function updateLockedUser(
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

export async function adminExists(database: Kysely<Tables>): Promise<boolean> {
  const admin = await database.selectFrom('users').select('id').where('role', '=', 'admin').limit(1).executeTakeFirst()
  return admin !== undefined
}

/** Gives an existing user the administrator's role; the operator vouches for the address. */
export async function promoteToAdmin(transaction: Kysely<Tables>, userId: string, now: number): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ role: 'admin', emailVerified: 1, banned: 0, banReason: null, banExpires: null, updatedAt: now })
    .where('id', '=', userId)
    .execute()
}

/** Sets an address that was proved. @throws the engine's unique violation when another user has it */
export async function saveEmail(
  database: Kysely<Tables>,
  userId: string,
  email: string,
  now: number,
): Promise<UserRow> {
  return database
    .updateTable('users')
    .set({ email, emailVerified: 1, updatedAt: now })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @returns undefined when the user was deleted */
export function updateProfile(
  database: Kysely<Tables>,
  userId: string,
  change: { name?: string; image?: string | null; updatedAt: number },
): Promise<UserRow | undefined> {
  return database.updateTable('users').set(change).where('id', '=', userId).returningAll().executeTakeFirst()
}

export async function deleteUserRow(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('users').where('id', '=', id).execute()
}
