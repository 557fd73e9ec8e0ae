import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** SQLite has no statistics of values, and of two indexes may choose the one with more rows for each value. */
export function withoutIndex(database: Kysely<Tables>, column: string) {
  return isPostgres(database) ? sql.ref<string>(column) : sql<string>`+${sql.ref(column)}`
}
