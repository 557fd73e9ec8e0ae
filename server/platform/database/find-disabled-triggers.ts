import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** @returns the triggers of change rows that do not run in every session of PostgreSQL */
export async function findDisabledTriggers(database: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger
    where tgname like '%\\_recorded' and pg_table_is_visible(tgrelid) and tgenabled <> 'A' order by tgname`.execute(
    database,
  )
  return rows.map(({ name }) => name)
}
