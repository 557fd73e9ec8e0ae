import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseUnavailable } from './unavailable.ts'

/** A request must be answered within 2 s while the database hangs. The rest of this time is for its other work. */
export const REQUEST_MILLISECONDS = 1_700
/** A request waits for two readings of the commits at most, and must be answered within 2 s. */
export const READING_MILLISECONDS = 800
/** Slow work leaves enough time to store its result, such as a guess that must be counted. */
const LEAST_MILLISECONDS = 1_000

/** The time of a request for the database, including waits for connections and locks. */
export interface TimeBudget {
  leftMilliseconds: number
  /** The time of concurrent waits is subtracted only once. */
  waitCount: number
  /** The time of the waits is subtracted up to this moment (`performance.now`). */
  spentUntil: number
  /** Begins after the request, or its body, has arrived: `database-time.ts` resets it. */
  reading?: Promise<void> | undefined
  /** The user whose long reads take turns, see `withReaderTurns`. */
  longReader?: string
}

const budgets = new AsyncLocalStorage<TimeBudget>()

export function newTimeBudget(milliseconds = REQUEST_MILLISECONDS): TimeBudget {
  return { leftMilliseconds: milliseconds, waitCount: 0, spentUntil: 0 }
}

export function findLongReader(): string | undefined {
  return budgets.getStore()?.longReader
}

export function shorterTimeBudget(milliseconds: number): TimeBudget {
  return newTimeBudget(Math.min(milliseconds, budgets.getStore()?.leftMilliseconds ?? milliseconds))
}

/** The database calls of `work`, including later ones, share this budget. */
export function withTimeBudget<T>(budget: TimeBudget, work: () => T): T {
  return budgets.run(budget, work)
}

/** For work of the whole process that a request began, such as a timer: it continues after the time of the request. */
export function withoutTimeBudget<T>(work: () => T): T {
  return budgets.exit(work)
}

/** It has a time budget of its own. */
export interface SharedReading {
  promise: Promise<void>
  /** To be called when the reading ends. */
  stopSpending: (() => void)[]
}

/** All caches of a request share one reading of the commits. */
export function shareReading(join: () => SharedReading): Promise<void> {
  const budget = budgets.getStore()
  if (!budget) return join().promise
  budget.reading ??= waitForReading(budget.leftMilliseconds, join)
  return budget.reading
}

function waitForReading(leftMilliseconds: number, join: () => SharedReading): Promise<void> {
  // A request with a body authenticates twice, and its readings share its time.
  if (leftMilliseconds < 2 * READING_MILLISECONDS)
    return spendTime(leftMilliseconds, (milliseconds) => endWithin(milliseconds, join().promise))
  // Most requests have all of the time, and need no timer.
  const { promise, stopSpending } = join()
  stopSpending.push(startSpending())
  return promise
}

/** @param leastMilliseconds the budget is not lowered below this value */
function startSpending(leastMilliseconds = Number.NEGATIVE_INFINITY): () => void {
  const budget = budgets.getStore()
  if (!budget) return () => {}
  if (budget.waitCount === 0) budget.spentUntil = performance.now()
  budget.waitCount += 1
  return () => {
    const left = budget.leftMilliseconds
    const endedAt = performance.now()
    const spent = endedAt - budget.spentUntil
    budget.leftMilliseconds = Math.min(left, Math.max(left - spent, leastMilliseconds))
    budget.spentUntil = endedAt
    budget.waitCount -= 1
  }
}

/** @param milliseconds lowered to the remaining budget of the request. @throws DatabaseUnavailable when none is left */
export async function spendTime<T>(milliseconds: number, work: (milliseconds: number) => Promise<T>): Promise<T> {
  const budget = budgets.getStore()
  if (!budget) return work(milliseconds)
  // Timers count whole milliseconds, and may fire up to one too early.
  if (budget.leftMilliseconds < 1) throw new DatabaseUnavailable('The time of this request for the database is used up')
  const stop = startSpending()
  try {
    return await work(Math.min(milliseconds, budget.leftMilliseconds))
  } finally {
    stop()
  }
}

/** For other work, such as waiting for a password hash: the request must still be answered in time. */
export async function spendOtherTime<T>(work: () => Promise<T>): Promise<T> {
  const stop = startSpending(LEAST_MILLISECONDS)
  try {
    return await work()
  } finally {
    stop()
  }
}

/** The work continues, because others wait for it too. @throws DatabaseUnavailable after the time */
export async function endWithin<T>(
  milliseconds: number,
  work: Promise<T>,
  reason = 'The database did not answer within',
): Promise<T> {
  if (milliseconds === Number.POSITIVE_INFINITY) return work
  const { promise: late, reject } = Promise.withResolvers<never>()
  const message = `${reason} ${Math.round(milliseconds)} ms`
  const timer = setTimeout(() => reject(new DatabaseUnavailable(message)), milliseconds)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
