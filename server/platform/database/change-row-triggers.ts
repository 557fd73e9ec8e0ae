import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The triggers that write change rows (migration 0020). A table that a later migration watches adds its own. */
export const CHANGE_ROW_TRIGGERS = [
  ...['sessions', 'users', 'members', 'organizations'].flatMap((table) => namesOf(table, ['update', 'delete'])),
  ...namesOf('signingKeys', ['insert', 'update', 'delete']),
]

function namesOf(table: string, events: string[]): string[] {
  return [...events, 'truncate'].map((event) => `${table}_${event}_recorded`)
}

/** Selects the names of those that are missing, or do not run in every session: after a restore without triggers. */
export const SILENT_TRIGGERS = `
  select name from unnest($1::text[]) as name where not exists (
    select from pg_trigger where tgname = name and tgenabled = 'A' and pg_table_is_visible(tgrelid)
  ) order by name`

/** @returns the names of the triggers without which caches would miss changes */
export async function listSilentTriggers(database: Kysely<Tables>): Promise<string[]> {
  const { rows } = await database.executeQuery<{ name: string }>(
    CompiledQuery.raw(SILENT_TRIGGERS, [CHANGE_ROW_TRIGGERS]),
  )
  return rows.map(({ name }) => name)
}
