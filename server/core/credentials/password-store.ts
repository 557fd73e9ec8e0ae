import { type Kysely, sql } from 'kysely'
import { SCRYPT_SCHEME } from '../../platform/crypto/scrypt-hash.ts'
import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { AccountRow, Tables, UserRow } from '../../platform/database/tables.ts'

/** The provider of the linked account that has a password, as on the wire. */
export const PASSWORD_PROVIDER = 'credential'

export interface UserWithPassword {
  user: UserRow
  passwordHash: string | undefined
}

/** Each by its name: PostgreSQL does not keep the plan of a statement with `*`. */
const USER_COLUMNS = [
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

const selectUserWithPassword = compileOnce((database, { email }: { email: string }) =>
  database
    .selectFrom('users')
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.userId', '=', 'users.id').on('accounts.providerId', '=', PASSWORD_PROVIDER),
    )
    .select(USER_COLUMNS)
    .select('accounts.passwordHash')
    .where('users.email', '=', email),
)

const lockUserAndPassword = compileOnce((database, { email }: { email: string }) =>
  database
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.userId', 'users.id')
    .select(USER_COLUMNS)
    .select('accounts.passwordHash')
    .where('users.email', '=', email)
    .where('accounts.providerId', '=', PASSWORD_PROVIDER)
    .forNoKeyUpdate(['users', 'accounts']),
)

export async function findUserWithPassword(
  database: Kysely<Tables>,
  email: string,
): Promise<UserWithPassword | undefined> {
  const [row] = await selectUserWithPassword(database, { email })
  return row && toUserWithPassword(row)
}

/**
 * For the start of a session: concurrent starts of one user wait, so that the limit counts all of them. Other inserts that
 * refer to the user do not wait. Both rows are locked, because PostgreSQL reads only locked rows again after a wait.
 * @returns undefined for a user without a password too
 */
export async function lockUserWithPassword(
  transaction: Kysely<Tables>,
  email: string,
): Promise<UserWithPassword | undefined> {
  const [row] = await lockUserAndPassword(transaction, { email })
  return row && toUserWithPassword(row)
}

function toUserWithPassword({ passwordHash, ...user }: UserRow & { passwordHash: string | null }): UserWithPassword {
  return { user, passwordHash: passwordHash ?? undefined }
}

/** @returns the time of the last change (epoch milliseconds); undefined for a user without a password */
export async function findPasswordTime(database: Kysely<Tables>, userId: string): Promise<number | undefined> {
  const account = await database
    .selectFrom('accounts')
    .select('updatedAt')
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .where('passwordHash', 'is not', null)
    .executeTakeFirst()
  return account?.updatedAt
}

export async function hasPassword(database: Kysely<Tables>, userId: string): Promise<boolean> {
  return (await findPasswordTime(database, userId)) !== undefined
}

/** Whether the password of a user is still an imported scrypt hash. */
export async function hasImportedHash(database: Kysely<Tables>): Promise<boolean> {
  return (await selectImportedHash(database, {})).length > 0
}

const selectImportedHash = compileOnce((database) =>
  database
    .selectFrom('accounts')
    .select('id')
    .where(sql<string>`substr("passwordHash", 1, 8)`, '=', SCRYPT_SCHEME)
    .limit(1),
)

/** For an import. */
export async function insertPasswords(transaction: Kysely<Tables>, accounts: AccountRow[]): Promise<void> {
  if (accounts.length > 0) await transaction.insertInto('accounts').values(accounts).execute()
}

/**
 * @param change without `changedAt`, the new hash is of the same password
 * @returns false when the password was changed concurrently
 */
export async function replacePasswordHash(
  database: Kysely<Tables>,
  userId: string,
  oldHash: string,
  change: { newHash: string; changedAt?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('accounts')
    .set({ passwordHash: change.newHash, ...(change.changedAt !== undefined && { updatedAt: change.changedAt }) })
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .where('passwordHash', '=', oldHash)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function setPasswordHash(
  transaction: Kysely<Tables>,
  randomness: Randomness,
  userId: string,
  passwordHash: string,
): Promise<void> {
  const now = randomness.now()
  await transaction
    .insertInto('accounts')
    .values({
      id: newId('lac', randomness),
      userId,
      providerId: PASSWORD_PROVIDER,
      accountId: userId,
      passwordHash,
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['userId', 'providerId']).doUpdateSet({ passwordHash, updatedAt: now }))
    .execute()
}

export async function deletePassword(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction
    .deleteFrom('accounts')
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .execute()
}
