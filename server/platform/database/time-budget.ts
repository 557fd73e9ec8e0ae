import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseUnavailable } from './unavailable.ts'

/** A request must be answered within 2 s while the database hangs. The rest of this time is for its other work. */
export const REQUEST_MILLISECONDS = 1_700
/** A request waits for two readings of the commits at most, and must be answered within 2 s. */
export const READING_MILLISECONDS = 800
/**
 * The time that slow work leaves for the database: enough to store its result, such as a guess that must be counted.
 */
const LEAST_MILLISECONDS = 1_000

/** The remaining time of a request for the database, including waits for connections and locks. */
export interface TimeBudget {
  leftMilliseconds: number
  /** The number of concurrent waits. Their time is subtracted only once. */
  waitCount: number
  /** The time of the waits is subtracted up to this moment (`performance.now`). */
  spentUntil: number
  /**
   * The reading of commits that this request shares. It begins after the request, or after its body, has arrived
   * (`database-time.ts` resets it).
   */
  reading?: Promise<void> | undefined
  /** The user whose long reads take turns, see `withReaderTurns`. */
  longReader?: string
}

const budgets = new AsyncLocalStorage<TimeBudget>()

export function newTimeBudget(milliseconds = REQUEST_MILLISECONDS): TimeBudget {
  return { leftMilliseconds: milliseconds, waitCount: 0, spentUntil: 0 }
}

/** @returns the user whose long reads take turns */
export function findLongReader(): string | undefined {
  return budgets.getStore()?.longReader
}

/** A budget that is not longer than the budget of the request. */
export function shorterTimeBudget(milliseconds: number): TimeBudget {
  return newTimeBudget(Math.min(milliseconds, budgets.getStore()?.leftMilliseconds ?? milliseconds))
}

/** The database calls of `work`, including later ones, share this budget. */
export function withTimeBudget<T>(budget: TimeBudget, work: () => T): T {
  return budgets.run(budget, work)
}

/**
 * For work that a request has begun for the whole process, such as a timer. It continues when the time of the request
 * is used up. Fastify does not report the end of a request whose client has disconnected.
 */
export function withoutTimeBudget<T>(work: () => T): T {
  return budgets.exit(work)
}

/** A reading of the commits that several requests wait for. It has a time budget of its own. */
export interface SharedReading {
  promise: Promise<void>
  /** To be called when the reading ends. */
  stopSpending: (() => void)[]
}

/** Shares one reading of the commits among all caches that a request uses. */
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

/**
 * Subtracts the time until the returned function is called.
 * @param leastMilliseconds the budget is not lowered below this value
 */
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

/**
 * Runs database work and subtracts its time from the budget of the request.
 * @param milliseconds the limit, lowered to the remaining budget
 * @throws DatabaseUnavailable when no time is left
 */
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

/**
 * Subtracts the time of other work, such as waiting for a password hash: the request must still be answered in time.
 */
export async function spendOtherTime<T>(work: () => Promise<T>): Promise<T> {
  const stop = startSpending(LEAST_MILLISECONDS)
  try {
    return await work()
  } finally {
    stop()
  }
}

/**
 * Stops waiting for work that continues, because others wait for it too.
 * @param reason what took the time, before the number of milliseconds
 * @throws DatabaseUnavailable after the time
 */
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
