import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** @returns by how many milliseconds this process is ahead of PostgreSQL; 0 on SQLite, which has no clock of its own */
export async function readClockDifference(database: Kysely<Tables>, now: () => number): Promise<number> {
  if (!isPostgres(database)) return 0
  const { rows } = await sql<{ time: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as time`.execute(database)
  return now() - Number(rows[0]?.time)
}
