import {
  assertWatched,
  CHANGE_ROW_TRIGGERS,
  HAS_CHANGE_ROWS,
  SILENT_TRIGGERS,
  WATCHED_TABLES,
} from './change-row-triggers.ts'
import type { DeadlinePool } from './postgres-pool.ts'
import type { OnRowChange, RowChanges, RowEvent } from './row-changes.ts'
import { newTimeBudget, READING_MILLISECONDS, type SharedReading, shareReading, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

/** With more changes, a new look-up of every entry costs less than their list. */
const CHANGES_MAXIMUM = 1_000
/** A table that was replaced or rewritten (TRUNCATE, ALTER TABLE) has another file, and a database another folder. */
const TABLE_PATHS = ['rowChanges', ...WATCHED_TABLES.keys()]
  .map((table) => `pg_relation_filepath('"${table}"')`)
  .join(', ')
/** Differs after a crash, a promotion and a restore, because transaction ids may be used again. */
const EPOCH = `
  (select epoch from "rowChangeEpochs") || extract(epoch from pg_postmaster_start_time()) || array[${TABLE_PATHS}]::text`
/**
 * Compares snapshots, because no clock or sequence orders commits. Without "order by", PostgreSQL reads the whole table
 * until it is analyzed.
 */
const CHANGED = `
  (
    select "tableName", "key" from "rowChanges"
    where "transactionId" >= pg_snapshot_xmax($1::text::pg_snapshot)
    order by "transactionId"
  )
  union all
  select "tableName", "key" from "rowChanges"
  where "transactionId" = any (array(select pg_snapshot_xip($1::text::pg_snapshot)))
  limit ${CHANGES_MAXIMUM + 1}`
/** Fails without one of the tables. @param $1 the snapshot of the last reading */
const READING = `
  with changed as (${CHANGED})
  select pg_current_snapshot()::text as snapshot, ${EPOCH} as epoch,
    (select "purgedBefore" from "rowChangePurges") > pg_snapshot_xmin($1::text::pg_snapshot) as "isPurged",
    (select json_agg(json_build_array("tableName", "key")) from changed) as changes`

interface Reading {
  snapshot: string
  epoch: string | null
  /** Whether unseen change rows may have been purged. Null at the first reading. */
  isPurged: boolean | null
  changes: [table: string, key: string | null][] | null
}

type Waiting = SharedReading & PromiseWithResolvers<void>

/** Reads the change rows of migration 0020: docs/decisions/27-change-rows.md. */
export class PostgresRowChanges implements RowChanges {
  private pool: DeadlinePool
  private watchers = new Map<string, OnRowChange[]>()
  private last: Pick<Reading, 'snapshot' | 'epoch'> | undefined
  private isReading = false
  private next: Waiting | undefined
  private isSupported: boolean | undefined

  constructor(pool: DeadlinePool) {
    this.pool = pool
  }

  watch(table: string, keyColumn: string, onChange: OnRowChange, events: RowEvent[] = ['update', 'delete']): void {
    assertWatched(table, keyColumn, events)
    this.watchers.set(table, [...(this.watchers.get(table) ?? []), onChange])
  }

  /** One reading for all requests that arrive before it is sent: its snapshot is later than each of them. */
  catchUp(): Promise<void> {
    return shareReading(() => this.join())
  }

  private join(): Waiting {
    if (!this.next) {
      this.next = { ...Promise.withResolvers<void>(), stopSpending: [] }
      // The sockets that are readable in this turn of the event loop join.
      setImmediate(() => this.startNext())
    }
    return this.next
  }

  private startNext(): void {
    const waiting = this.next
    if (!waiting || this.isReading) return
    this.next = undefined
    this.isReading = true
    withTimeBudget(newTimeBudget(READING_MILLISECONDS), () => this.read()).then(
      () => this.end(waiting, () => waiting.resolve()),
      (error: Error) => this.end(waiting, () => waiting.reject(error)),
    )
  }

  /** Sends the next reading before these requests go on, so that PostgreSQL and this process work at the same time. */
  private end({ stopSpending }: Waiting, settle: () => void): void {
    setImmediate(() => {
      this.isReading = false
      for (const stop of stopSpending) stop()
      if (!this.next) return settle()
      this.startNext()
      setImmediate(settle)
    })
  }

  private async read(): Promise<void> {
    this.isSupported ??= await this.hasChangeRows()
    if (!this.isSupported) return this.reportAll()
    const { rows } = await this.pool.query(READING, [this.last?.snapshot])
    const { snapshot, epoch, isPurged, changes } = rows[0] as Reading
    const isContinued = this.last?.epoch === epoch && !isPurged && (changes?.length ?? 0) <= CHANGES_MAXIMUM
    if (epoch === null) return this.startEpoch()
    this.last = { snapshot, epoch }
    if (!isContinued) return this.reportAll()
    for (const [table, key] of changes ?? []) this.report(table, key ?? undefined)
  }

  /** A missing or disabled trigger writes no change rows. Engines without snapshots have no triggers. */
  private async hasChangeRows(): Promise<boolean> {
    const { rows } = await this.pool.query(HAS_CHANGE_ROWS)
    if (!rows[0].hasTable) return false
    return (await this.pool.query(SILENT_TRIGGERS, [CHANGE_ROW_TRIGGERS])).rows.length === 0
  }

  private async startEpoch(): Promise<void> {
    this.last = undefined
    this.reportAll()
    try {
      await this.pool.query(
        'insert into "rowChangeEpochs" (id, epoch) values (1, gen_random_uuid()) on conflict do nothing',
      )
    } catch (error) {
      // On a full disk, each reading drops all cache entries until the row can be inserted, so sessions are looked up.
      if (!isUnavailable(error)) throw error
    }
  }

  private report(table: string, key: string | undefined): void {
    for (const onChange of this.watchers.get(table) ?? []) onChange(key)
  }

  private reportAll(): void {
    for (const table of this.watchers.keys()) this.report(table, undefined)
  }
}
