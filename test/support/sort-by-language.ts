import { sql } from 'kysely'
import type { Service } from './service.ts'

/**
 * Gives a column of PostgreSQL the order of a language, which the databases of most operators have by default. Does nothing
 * without ICU.
 */
export async function sortByLanguage(
  { engine, context: { database } }: Service,
  table: string,
  column: string,
): Promise<void> {
  if (engine === 'sqlite') return
  const { rows } = await sql`select collname from pg_collation where collname = 'und-x-icu'`.execute(database)
  if (rows.length === 0) return
  await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} type text collate "und-x-icu"`.execute(
    database,
  )
}
