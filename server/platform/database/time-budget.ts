import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseUnavailable } from './unavailable.ts'

/** A request must be answered within 2 s while the database hangs. Its other work needs the rest. */
const REQUEST_MILLISECONDS = 1_700

/** The remaining time of a request for the database, including waits for connections and locks. */
export interface TimeBudget {
  leftMilliseconds: number
  /** The reading of commits that the request waits for. Its snapshot is later than the request, or its body. */
  reading?: Promise<void> | undefined
}

const budgets = new AsyncLocalStorage<TimeBudget>()

export function newTimeBudget(milliseconds = REQUEST_MILLISECONDS): TimeBudget {
  return { leftMilliseconds: milliseconds }
}

/** The database calls of `work`, including later ones, share this budget. */
export function withTimeBudget<T>(budget: TimeBudget, work: () => T): T {
  return budgets.run(budget, work)
}

/** One reading of commits for all caches that a request uses. */
export function shareReading(read: () => Promise<void>): Promise<void> {
  const budget = budgets.getStore()
  if (!budget) return read()
  budget.reading ??= read()
  return budget.reading
}

/**
 * Runs database work and subtracts its time from the budget of the request.
 * @param milliseconds the limit, lowered to the remaining budget
 * @throws DatabaseUnavailable when no time is left
 */
export async function spendTime<T>(milliseconds: number, work: (milliseconds: number) => Promise<T>): Promise<T> {
  const budget = budgets.getStore()
  if (!budget) return work(milliseconds)
  if (budget.leftMilliseconds <= 0)
    throw new DatabaseUnavailable('The time of this request for the database is used up')
  const startedAt = performance.now()
  try {
    return await work(Math.min(milliseconds, budget.leftMilliseconds))
  } finally {
    budget.leftMilliseconds -= performance.now() - startedAt
  }
}
