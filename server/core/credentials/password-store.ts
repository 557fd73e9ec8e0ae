import { type Kysely, sql } from 'kysely'
import { SCRYPT_SCHEME } from '../../platform/crypto/scrypt-hash.ts'
import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import { compileOnce, RESULT_UNUSED } from '../../platform/database/compile-once.ts'
import type { AccountRow, Tables } from '../../platform/database/tables.ts'

/** The provider of the linked account that has a password, as on the wire. */
export const PASSWORD_PROVIDER = 'credential'

export async function findPasswordHash(database: Kysely<Tables>, userId: string): Promise<string | undefined> {
  return (await findPassword(database, userId))?.passwordHash ?? undefined
}

/** Epoch milliseconds of the last change. */
export async function findPasswordTime(database: Kysely<Tables>, userId: string): Promise<number | undefined> {
  return (await findPassword(database, userId))?.updatedAt
}

function findPassword(database: Kysely<Tables>, userId: string) {
  return database
    .selectFrom('accounts')
    .select(['passwordHash', 'updatedAt'])
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .where('passwordHash', 'is not', null)
    .executeTakeFirst()
}

export async function hasPassword(database: Kysely<Tables>, userId: string): Promise<boolean> {
  return (await findPasswordTime(database, userId)) !== undefined
}

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

export async function insertPasswords(transaction: Kysely<Tables>, accounts: AccountRow[]): Promise<void> {
  if (accounts.length > 0) await transaction.insertInto('accounts').values(accounts).execute()
}

/** @param change without `changedAt` for a new hash of the same password @returns false after a concurrent change */
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
  const keys = { id: newId('lac', randomness), userId, providerId: PASSWORD_PROVIDER, accountId: userId }
  await upsertPassword(transaction, { ...keys, passwordHash, createdAt: now, updatedAt: now })
}

const upsertPassword = compileOnce(
  (database, row: AccountRow) =>
    database
      .insertInto('accounts')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['userId', 'providerId'])
          .doUpdateSet({ passwordHash: row.passwordHash, updatedAt: row.updatedAt }),
      ),
  RESULT_UNUSED,
)

export async function deletePassword(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction
    .deleteFrom('accounts')
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .execute()
}
