import { type Kysely, type SqlBool, sql } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { NOT_BANNED } from './banned.ts'

/** Named one by one, because a statement with `*` is not prepared (postgres-statements.ts). */
export const USER_COLUMNS = [
  'users.id',
  'users.name',
  'users.email',
  'users.emailVerified',
  'users.image',
  'users.role',
  'users.banned',
  'users.banReason',
  'users.banExpires',
  'users.createdAt',
  'users.updatedAt',
  'users.properties',
  'users.twoFactorEnabled',
] as const

/** The unique index decides between concurrent inserts. @returns undefined when the email address is taken */
export function insertUser(database: Kysely<Tables>, user: UserRow): Promise<UserRow | undefined> {
  return database
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function insertUsers(transaction: Kysely<Tables>, users: UserRow[]): Promise<void> {
  if (users.length > 0) await transaction.insertInto('users').values(users).execute()
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

/** Concurrent processes skip the users that another process has locked. */
export function lockExpiredBansForUpdate(
  transaction: Kysely<Tables>,
  now: number,
  limit: number,
): Promise<{ id: string }[]> {
  return selectExpiredBans(transaction, now).orderBy('id').limit(limit).forUpdate().skipLocked().execute()
}

function selectExpiredBans(database: Kysely<Tables>, now: number) {
  return database.selectFrom('users').select('id').where('banExpires', '<=', now)
}

export function hasAdmin(database: Kysely<Tables>): Promise<boolean> {
  return hasMoreThan(database.selectFrom('users').select('id').where('role', '=', 'admin'), 0)
}

/** The administrators who can act. */
export function countAdmins(database: Kysely<Tables>, now: number): Promise<number> {
  const admins = database
    .selectFrom('users')
    .where('role', '=', 'admin')
    // `+ 0` prevents the use of the indexes of these columns: by them, SQLite would read most of the users.
    .where(sql<SqlBool>`(banned + 0 = 0 or "banExpires" + 0 <= ${now}) and "emailVerified" + 0 = 1`)
  return countMatching(admins)
}

/** Verifies the email address too: the operator has chosen it. */
export async function promoteToAdmin(transaction: Kysely<Tables>, userId: string, now: number): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ role: 'admin', emailVerified: 1, ...NOT_BANNED, updatedAt: now })
    .where('id', '=', userId)
    .execute()
}

/** @throws ApiError EMAIL_ALREADY_IN_USE */
export async function updateVerifiedEmail(
  transaction: Kysely<Tables>,
  userId: string,
  email: string,
  now: number,
): Promise<UserRow> {
  try {
    return await updateLockedUser(transaction, userId, { email, emailVerified: 1, updatedAt: now })
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('EMAIL_ALREADY_IN_USE', { cause: error }) : error
  }
}

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
