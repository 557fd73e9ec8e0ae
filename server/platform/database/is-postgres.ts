import { type Kysely, PostgresAdapter } from 'kysely'
import type { Tables } from './tables.ts'

export function isPostgres(database: Kysely<Tables>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter
}
