import { type Kysely, sql } from 'kysely'
import { isPostgres } from '../../platform/database/migration-lock.ts'
import type { Tables } from '../../platform/database/tables.ts'

/** An arbitrary number. */
const IMPORT_LOCK_KEY = 7_402_815_367

/**
 * Waits for the transaction of another import. No constraint refuses a user and an API key with the same id, so each
 * import must see the rows of the others. New ids of the service can't be equal, because they begin with their kind.
 */
export async function lockImport(transaction: Kysely<Tables>): Promise<void> {
  // SQLite: BEGIN IMMEDIATE is the lock.
  if (isPostgres(transaction)) await sql`select pg_advisory_xact_lock(${sql.lit(IMPORT_LOCK_KEY)})`.execute(transaction)
}
