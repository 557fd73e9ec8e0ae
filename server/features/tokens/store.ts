import type { Kysely } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { SigningKeyRow, Tables } from '../../platform/database/tables.ts'

/** The current and next keys, and older keys with valid tokens; oldest first. */
export function listPublishedKeys(database: Kysely<Tables>, now: number): Promise<SigningKeyRow[]> {
  return database
    .selectFrom('signingKeys')
    .selectAll()
    .where('withdrawnAt', 'is', null)
    .where((where) => where.or([where('retiresAt', 'is', null), where('retiresAt', '>', now)]))
    .orderBy('generation')
    .execute()
}

export const listUsableKeys = compileOnce((database, _values: object) =>
  database
    .selectFrom('signingKeys')
    .select(['id', 'activeAt', 'retiresAt', 'publicJwk', 'publicEcJwk'])
    .where('withdrawnAt', 'is', null)
    .orderBy('generation'),
)

export function findKey(database: Kysely<Tables>, id: string): Promise<SigningKeyRow | undefined> {
  return database.selectFrom('signingKeys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The newest key, even if it is withdrawn. */
export function findNewestKey(database: Kysely<Tables>): Promise<SigningKeyRow | undefined> {
  return database.selectFrom('signingKeys').selectAll().orderBy('generation', 'desc').limit(1).executeTakeFirst()
}

/** Locks every key, oldest first, so that no other rotation or withdrawal runs concurrently. */
export function lockKeysForUpdate(transaction: Kysely<Tables>): Promise<SigningKeyRow[]> {
  return transaction.selectFrom('signingKeys').selectAll().orderBy('generation').forUpdate().execute()
}

/** @returns false when another process has inserted the generation */
export async function insertKey(database: Kysely<Tables>, key: SigningKeyRow): Promise<boolean> {
  const inserted = await database
    .insertInto('signingKeys')
    .values(key)
    .onConflict((conflict) => conflict.column('generation').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function retireOlderKeys(
  database: Kysely<Tables>,
  { generation, now, retiresAt }: { generation: number; now: number; retiresAt: number },
): Promise<void> {
  await database
    .updateTable('signingKeys')
    .set({ retiresAt })
    .where('generation', '<', generation)
    .where((where) => where.or([where('retiresAt', 'is', null), where('retiresAt', '>', now)]))
    .execute()
}

export async function markWithdrawn(database: Kysely<Tables>, id: string, withdrawnAt: number): Promise<void> {
  await database.updateTable('signingKeys').set({ withdrawnAt }).where('id', '=', id).execute()
}

export function listKeys(database: Kysely<Tables>): Promise<SigningKeyRow[]> {
  return database.selectFrom('signingKeys').selectAll().orderBy('generation').execute()
}

type EncryptedPrivateJwks = Pick<SigningKeyRow, 'encryptedPrivateJwk' | 'encryptedPrivateEcJwk'>

export async function saveEncryptedPrivateJwks(
  database: Kysely<Tables>,
  id: string,
  encrypted: Partial<EncryptedPrivateJwks>,
): Promise<void> {
  await database.updateTable('signingKeys').set(encrypted).where('id', '=', id).execute()
}

/** Compare-and-set: the first of several concurrent processes succeeds. */
export async function saveMissingEcPair(
  database: Kysely<Tables>,
  id: string,
  pair: Pick<SigningKeyRow, 'publicEcJwk' | 'encryptedPrivateEcJwk'>,
): Promise<void> {
  await database.updateTable('signingKeys').set(pair).where('id', '=', id).where('publicEcJwk', 'is', null).execute()
}

export async function markAllWithdrawn(transaction: Kysely<Tables>, withdrawnAt: number): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('signingKeys')
    .set({ withdrawnAt })
    .where('withdrawnAt', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
