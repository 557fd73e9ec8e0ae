import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** On PostgreSQL, `search_path` chooses the table. @returns an empty list if there is no such table */
export async function listColumns(database: Kysely<Tables>, table: string): Promise<string[]> {
  const query = isPostgres(database)
    ? sql<{ name: string }>`select attname as name from pg_attribute
        where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped`
    : sql<{ name: string }>`select name from pragma_table_info(${table})`
  return (await query.execute(database)).rows.map(({ name }) => name)
}
