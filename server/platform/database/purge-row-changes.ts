import { type Kysely, sql } from 'kysely'
import { MINUTE_MILLISECONDS } from '../time/time-units.ts'
import { HAS_CHANGE_ROWS } from './change-row-triggers.ts'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** A process that was idle for twice as long reads every entry of its caches again. */
const PURGE_MILLISECONDS = 10 * MINUTE_MILLISECONDS

/**
 * Each purge stores the oldest running transaction as the limit of the next purge: earlier transactions can insert no
 * more rows. Rows with a future transaction id came with a dump of another server, and every reading would return them.
 * A `purgedAt` in the future does not count, because the clock of its process was ahead.
 */
export async function deleteOldRowChanges(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  if (!(await hasRowChanges(database))) return 0
  const { numAffectedRows = 0n } = await sql`
    delete from "rowChanges" where ctid = any (array(
      select ctid from "rowChanges"
      where "transactionId" < (select "purgedBefore" from "rowChangePurges")
        or "transactionId" >= pg_snapshot_xmax(pg_current_snapshot())
      limit ${limit}
      for update skip locked
    ))`.execute(database)
  if (numAffectedRows < limit) {
    await sql`
      update "rowChangePurges" set
        "purgedBefore" = "purgedNext", "purgedNext" = pg_snapshot_xmin(pg_current_snapshot()), "purgedAt" = ${now}
      where "purgedAt" not between ${now - PURGE_MILLISECONDS + 1} and ${now + PURGE_MILLISECONDS}`.execute(database)
  }
  return Number(numAffectedRows)
}

export async function hasRowChanges(database: Kysely<Tables>): Promise<boolean> {
  if (!isPostgres(database)) return false
  const { rows } = await sql.raw<{ hasTable: boolean }>(HAS_CHANGE_ROWS).execute(database)
  return rows[0]?.hasTable === true
}
