import { type Kysely, sql } from 'kysely'
import { MINUTE_MILLISECONDS } from '../time/time-units.ts'
import { HAS_CHANGE_ROWS } from './change-row-triggers.ts'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** A process that was idle for twice as long reads every entry of its caches again. */
const PURGE_MILLISECONDS = 10 * MINUTE_MILLISECONDS

/**
 * Deletes the change rows of transactions before `purgedBefore`; a process whose snapshot is older drops its caches.
 * Each purge stores the oldest running transaction as the limit of the next one, so that no earlier transaction can
 * still insert rows. Also deletes rows whose transaction ids are in the future: they came with a dump of another
 * server, and every reading would return them. A purge in the future does not count: the clock of its process was
 * ahead.
 * @returns the number of deleted rows
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

/** False on SQLite, and on engines without the snapshots of PostgreSQL. */
export async function hasRowChanges(database: Kysely<Tables>): Promise<boolean> {
  if (!isPostgres(database)) return false
  const { rows } = await sql.raw<{ hasTable: boolean }>(HAS_CHANGE_ROWS).execute(database)
  return rows[0]?.hasTable === true
}
