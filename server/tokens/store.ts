import type { Kysely } from 'kysely'
import type { SigningKeyRow, Tables } from '../database/tables.ts'

export function findActiveKey(database: Kysely<Tables>, now: number): Promise<SigningKeyRow | undefined> {
  return database
    .selectFrom('signingKeys')
    .selectAll()
    .where('activeAt', '<=', now)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Keys that sign now or later, and older ones whose last token may still be in use. */
export function listPublishedKeys(database: Kysely<Tables>, now: number): Promise<SigningKeyRow[]> {
  return database
    .selectFrom('signingKeys')
    .selectAll()
    .where((where) => where.or([where('retiresAt', 'is', null), where('retiresAt', '>', now)]))
    .orderBy('generation')
    .execute()
}

/** The unique generation decides: of two processes that make the same one, the first is kept. */
export async function insertKey(database: Kysely<Tables>, key: SigningKeyRow): Promise<void> {
  await database
    .insertInto('signingKeys')
    .values(key)
    .onConflict((conflict) => conflict.column('generation').doNothing())
    .execute()
}

export function listKeys(database: Kysely<Tables>): Promise<SigningKeyRow[]> {
  return database.selectFrom('signingKeys').selectAll().orderBy('generation').execute()
}
