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

export function findNewestKey(database: Kysely<Tables>): Promise<SigningKeyRow | undefined> {
  return database.selectFrom('signingKeys').selectAll().orderBy('generation', 'desc').limit(1).executeTakeFirst()
}

/** The unique generation decides: of two processes that make the same one, the first is kept. @returns whether it was */
export async function insertKey(database: Kysely<Tables>, key: SigningKeyRow): Promise<boolean> {
  const inserted = await database
    .insertInto('signingKeys')
    .values(key)
    .onConflict((conflict) => conflict.column('generation').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Keys that are replaced now; those of earlier rotations keep the end that they have. */
export async function retireOlderKeys(database: Kysely<Tables>, generation: number, retiresAt: number): Promise<void> {
  await database
    .updateTable('signingKeys')
    .set({ retiresAt })
    .where('generation', '<', generation)
    .where('retiresAt', 'is', null)
    .execute()
}

export function listKeys(database: Kysely<Tables>): Promise<SigningKeyRow[]> {
  return database.selectFrom('signingKeys').selectAll().orderBy('generation').execute()
}
