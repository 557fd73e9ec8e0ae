import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Report } from './migration-lock.ts'
import type { Tables } from './tables.ts'

/** Few enough that requests wait only milliseconds for the locked rows. */
const BATCH_ROWS = 1_000
const PROGRESS_MILLISECONDS = 2_000
const LOCKED_ROWS_PAUSE_MILLISECONDS = 250

export interface Backfill {
  table: string
  /** The column of the primary key. */
  key: string
  /** A changed row must not match any more. */
  pending: RawBuilder<unknown>
  /** The end of UPDATE, from SET. */
  set: RawBuilder<unknown>
}

interface Pending {
  count: number
  firstKey: unknown
  lastKey: unknown
}

interface Range {
  from: unknown
  to: unknown
}

interface Batch {
  changed: number
  skipped: number
}

/** Skips locked rows until a further round: a batch never waits while it holds locks, so it causes no deadlock. */
export async function backfillInBatches(database: Kysely<Tables>, report: Report, backfill: Backfill): Promise<void> {
  const { table } = backfill
  let done = 0
  let reportedAt = performance.now()
  let pending = await readPending(database, backfill)
  const total = pending.count
  report(`rows of ${table}: 0 of ${total}`)
  for (;;) {
    let skipped = 0
    for await (const range of listRanges(database, backfill, pending)) {
      const batch = await changeBatch(database, backfill, range)
      done += batch.changed
      skipped += batch.skipped
      if (performance.now() - reportedAt > PROGRESS_MILLISECONDS) {
        report(`rows of ${table}: ${done} of ${total}`)
        reportedAt = performance.now()
      }
    }
    if (skipped === 0) break
    await pause(LOCKED_ROWS_PAUSE_MILLISECONDS)
    pending = await readPending(database, backfill)
  }
  report(`rows of ${table}: all ${done} changed`)
}

async function readPending(database: Kysely<Tables>, { table, key, pending }: Backfill): Promise<Pending> {
  const { rows } = await sql<Pending>`
    select count(*) as count, min(${sql.ref(key)}) as "firstKey", max(${sql.ref(key)}) as "lastKey"
    from ${sql.table(table)} where ${pending}`.execute(database)
  return rows[0] ?? { count: 0, firstKey: null, lastKey: null }
}

/** Without ranges, PostgreSQL reads the whole table for each batch: it has no statistics of a new column. */
async function* listRanges(
  database: Kysely<Tables>,
  { table, key }: Backfill,
  { firstKey, lastKey }: Pending,
): AsyncGenerator<Range> {
  for (let from = firstKey; ; ) {
    const { rows } = await sql<{ to: unknown }>`
      select max(${sql.ref(key)}) as "to" from (
        select ${sql.ref(key)} from ${sql.table(table)}
        where ${sql.ref(key)} >= ${from} and ${sql.ref(key)} <= ${lastKey}
        order by ${sql.ref(key)} limit ${sql.lit(BATCH_ROWS)}
      ) as keys`.execute(database)
    const to = rows[0]?.to ?? null
    if (to === null) return
    yield { from, to }
    if (to === from) return
    from = to
  }
}

async function changeBatch(
  database: Kysely<Tables>,
  { table, key, pending, set }: Backfill,
  { from, to }: Range,
): Promise<Batch> {
  const isInRange = sql`${sql.ref(key)} >= ${from} and ${sql.ref(key)} <= ${to}`
  const isPending = sql`${isInRange} and (${pending})`
  const { rows } = await sql<Batch>`
    with batch as materialized (
      select ${sql.ref(key)} as "batchKey" from ${sql.table(table)} where ${isPending}
      order by ${sql.ref(key)} for no key update skip locked
    ), changed as (
      update ${sql.table(table)} ${set} from batch where ${isInRange} and ${sql.ref(key)} = "batchKey"
    )
    select count(*) as changed, (select count(*) from ${sql.table(table)} where ${isPending}) - count(*) as skipped
    from batch`.execute(database)
  return rows[0] ?? { changed: 0, skipped: 0 }
}
