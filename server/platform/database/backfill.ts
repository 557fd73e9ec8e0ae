import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Report } from './migration-lock.ts'
import type { Backfill } from './online-steps.ts'
import type { Tables } from './tables.ts'

/** Some milliseconds of row locks. */
const BATCH_ROWS = 1_000
const PROGRESS_MILLISECONDS = 2_000
const LOCKED_ROWS_PAUSE_MILLISECONDS = 250

interface Batch {
  count: number
  lastKey: unknown
}

/**
 * Changes rows of PostgreSQL in batches, each its own transaction. A batch leaves out rows that a request has locked: it
 * never waits while it holds locks, so it is in no deadlock. Later rounds change them.
 */
export async function backfillInBatches(database: Kysely<Tables>, report: Report, backfill: Backfill): Promise<void> {
  const { table } = backfill
  let done = 0
  let reportedAt = performance.now()
  const total = await countPending(database, backfill)
  report(`rows of ${table}: 0 of ${total}`)
  for (let left = total; left > 0; left = await countPending(database, backfill)) {
    for (let batch = await changeBatch(database, backfill); batch.count > 0; ) {
      done += batch.count
      if (performance.now() - reportedAt > PROGRESS_MILLISECONDS) {
        report(`rows of ${table}: ${done} of ${total}`)
        reportedAt = performance.now()
      }
      batch = await changeBatch(database, backfill, batch.lastKey)
    }
    await pause(LOCKED_ROWS_PAUSE_MILLISECONDS)
  }
  report(`rows of ${table}: all ${done} changed`)
}

async function countPending(database: Kysely<Tables>, { table, pending }: Backfill): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${pending}`.execute(database)
  return rows[0]?.count ?? 0
}

async function changeBatch(
  database: Kysely<Tables>,
  { table, key, pending, set }: Backfill,
  lastKey?: unknown,
): Promise<Batch> {
  const after = lastKey === undefined ? sql`true` : sql`${sql.ref(key)} > ${lastKey}`
  const { rows } = await sql<Batch>`
    with batch as materialized (
      select ${sql.ref(key)} as "batchKey" from ${sql.table(table)} where ${after} and (${pending})
      order by ${sql.ref(key)} limit ${sql.lit(BATCH_ROWS)} for no key update skip locked
    ), changed as (
      update ${sql.table(table)} ${set} from batch where ${sql.ref(key)} = "batchKey"
    )
    select count(*) as count, max("batchKey") as "lastKey" from batch`.execute(database)
  return rows[0] ?? { count: 0, lastKey: undefined }
}
