import { CompiledQuery, type Kysely } from 'kysely'
import type { RowEvent } from './row-changes.ts'
import type { Tables } from './tables.ts'

interface WatchedTable {
  keyColumn: string
  events: RowEvent[]
}

/** The tables whose triggers write change rows. A later migration that adds triggers adds its table here. */
export const WATCHED_TABLES = new Map<string, WatchedTable>([
  ['sessions', { keyColumn: 'tokenHash', events: ['update', 'delete'] }],
  ['users', { keyColumn: 'id', events: ['update', 'delete'] }],
  ['members', { keyColumn: 'userId', events: ['update', 'delete'] }],
  ['organizations', { keyColumn: 'id', events: ['update', 'delete'] }],
  ['signingKeys', { keyColumn: 'id', events: ['insert', 'update', 'delete'] }],
])

export const CHANGE_ROW_TRIGGERS = [...WATCHED_TABLES].flatMap(([table, { events }]) => namesOf(table, events))

/** @throws Error when no trigger reports the changes, because a cache of these rows would stay stale for ever */
export function assertWatched(table: string, keyColumn: string, events: RowEvent[]): void {
  const watched = WATCHED_TABLES.get(table)
  const missing = events.find((event) => watched?.keyColumn !== keyColumn || !watched.events.includes(event))
  if (missing) throw new Error(`No trigger writes change rows of ${table} by ${keyColumn} after ${missing}`)
}

function namesOf(table: string, events: string[]): string[] {
  return [...events, 'truncate'].map((event) => `${table}_${event}_recorded`)
}

/** False on engines without the snapshots of PostgreSQL, where migration 0020 creates no table. */
export const HAS_CHANGE_ROWS = `select to_regclass('"rowChanges"') is not null as "hasTable"`

/** Selects triggers that are missing, as after a restore without triggers, or that do not run in every session. */
export const SILENT_TRIGGERS = `
  select name from unnest($1::text[]) as name where not exists (
    select from pg_trigger where tgname = name and tgenabled = 'A' and pg_table_is_visible(tgrelid)
  ) order by name`

export async function listSilentTriggers(database: Kysely<Tables>): Promise<string[]> {
  const { rows } = await database.executeQuery<{ name: string }>(
    CompiledQuery.raw(SILENT_TRIGGERS, [CHANGE_ROW_TRIGGERS]),
  )
  return rows.map(({ name }) => name)
}
