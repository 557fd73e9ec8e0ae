import type { Kysely } from 'kysely'
import type { SecretGenerationRow, Tables } from '../../platform/database/tables.ts'

/** Oldest first. */
export function listSecretGenerations(database: Kysely<Tables>): Promise<SecretGenerationRow[]> {
  return database.selectFrom('secretGenerations').selectAll().orderBy('generation').execute()
}

/** @returns false when another process has inserted the generation */
export async function insertSecretGeneration(database: Kysely<Tables>, row: SecretGenerationRow): Promise<boolean> {
  const inserted = await database
    .insertInto('secretGenerations')
    .values(row)
    .onConflict((conflict) => conflict.column('generation').doNothing())
    .returning('generation')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Oldest first. */
export function lockGenerationsForUpdate(transaction: Kysely<Tables>): Promise<SecretGenerationRow[]> {
  return transaction.selectFrom('secretGenerations').selectAll().orderBy('generation').forUpdate().execute()
}

export async function saveRetiredKeys(
  transaction: Kysely<Tables>,
  generation: number,
  retiredKeys: string,
): Promise<void> {
  await transaction.updateTable('secretGenerations').set({ retiredKeys }).where('generation', '=', generation).execute()
}
