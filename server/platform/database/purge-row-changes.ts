import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** A process that was idle for longer asks the database for every entry again. */
const KEPT_MILLISECONDS = 10 * 60_000

/**
 * Deletes the oldest change rows, and none that is newer than one that it keeps: the oldest row tells every process whether
 * it has missed changes. Transactions that still run may add rows, but only later ones. One older row stays for processes
 * that have seen it.
 * @param _now unused: the database's own clock has written the rows, and nothing but the length of the table depends on it
 * @returns the number of deleted rows
 */
export async function deleteOldRowChanges(database: Kysely<Tables>, _now: number, limit: number): Promise<number> {
  if (!(await hasRowChanges(database))) return 0
  const { numAffectedRows } = await sql`
    with kept as (
      select max("transactionId") as "oldest" from "rowChanges"
      where "transactionId" < pg_snapshot_xmin(pg_current_snapshot())
        and "transactionId" < coalesce(
          (select min("transactionId") from "rowChanges"
            where "changedAt" >= extract(epoch from clock_timestamp()) * 1000 - ${KEPT_MILLISECONDS}::bigint),
          pg_snapshot_xmax(pg_current_snapshot()))
    )
    delete from "rowChanges" where "transactionId" in (
      select "transactionId" from "rowChanges", kept where "transactionId" < kept."oldest"
      order by "transactionId" limit ${limit}
    )`.execute(database)
  return Number(numAffectedRows ?? 0)
}

/** Not on SQLite, nor on engines without the snapshots of PostgreSQL. */
async function hasRowChanges(database: Kysely<Tables>): Promise<boolean> {
  if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return false
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('"rowChanges"') is not null as exists`.execute(
    database,
  )
  return rows[0]?.exists === true
}
