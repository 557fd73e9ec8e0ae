import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** Shorter than the 1.2 s of requests (postgres.ts), which queue behind a migration that waits for a table. */
const LOCK_MILLISECONDS = 500
const PAUSE_MILLISECONDS = 250
const LONGEST_PAUSE_MILLISECONDS = 5_000
/** Ends the lock of a stopped process or a lost machine, which PostgreSQL notices only after two hours. */
export const IDLE_MILLISECONDS = 30_000
export const MIGRATION_LOCK_KEY = 7_402_815_366
/** PostgreSQL: a lock timeout, and a deadlock. */
const LOCKED_CODES = ['55P03', '40P01']

export type Report = (line: string) => void

/**
 * The lock belongs to a transaction: a killed process leaves no lock, and PgBouncer does not share the connection.
 * @param idleMilliseconds the longest pause between two statements of the transaction, except during `keepLock`
 */
export async function underMigrationLock<T>(
  database: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
  report: Report = () => {},
  idleMilliseconds = IDLE_MILLISECONDS,
): Promise<T> {
  // SQLite: BEGIN IMMEDIATE is the lock.
  if (!isPostgres(database)) return database.transaction().execute(work)
  for (let isWaiting = false; ; isWaiting = true) {
    const outcome = await database.transaction().execute(async (transaction) => {
      return (await tryLock(transaction, idleMilliseconds)) ? { value: await work(transaction) } : undefined
    })
    if (outcome) return outcome.value
    if (!isWaiting) report('Another process is migrating the database. This one waits for it.')
    await pause(PAUSE_MILLISECONDS)
  }
}

/** Never waits: PostgreSQL would not finish a concurrent index of the other process before this transaction. */
async function tryLock(transaction: Transaction<Tables>, idleMilliseconds: number): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(MIGRATION_LOCK_KEY)}) as "isLocked",
      set_config('lock_timeout', ${String(LOCK_MILLISECONDS)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(idleMilliseconds)}, true)`.execute(transaction)
  return rows[0]?.isLocked === true
}

/** Uses the idle transaction that holds the lock, because PostgreSQL would end it during work on other connections. */
export async function keepLock<T>(
  transaction: Transaction<Tables>,
  idleMilliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  let asked: Promise<unknown> = Promise.resolve()
  const ask = () => {
    // Without the lock, the work is safe beside another process, and the next statement of the transaction fails.
    asked = asked.then(() => sql`select 1`.execute(transaction)).catch(() => {})
  }
  const timer = setInterval(ask, idleMilliseconds / 3)
  return work().finally(() => {
    clearInterval(timer)
    return asked
  })
}

/** The pauses let requests continue that wait behind `work`. */
export async function retryWhenLocked<T>(report: Report, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isLocked(error)) throw error
      report(`${(error as Error).message}. Another transaction holds a lock; trying again.`)
      await pause(Math.min(PAUSE_MILLISECONDS * attempt, LONGEST_PAUSE_MILLISECONDS))
    }
  }
}

export function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return LOCKED_CODES.includes(code ?? cause?.code ?? '')
}
