import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

const KEYS = {
  import: 7_402_815_367,
  'client registration': 7_402_815_368,
}

export async function lockForTransaction(transaction: Kysely<Tables>, name: keyof typeof KEYS): Promise<void> {
  // SQLite: BEGIN IMMEDIATE is the lock.
  if (isPostgres(transaction)) await sql`select pg_advisory_xact_lock(${sql.lit(KEYS[name])})`.execute(transaction)
}
