import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseUnavailable } from './unavailable.ts'

/** A request must be answered within 2 s while the database hangs. Its other work needs the rest. */
const REQUEST_MILLISECONDS = 1_700

/** The remaining time of a request for the database, including waits for connections and locks. */
export interface TimeBudget {
  leftMilliseconds: number
}

const budgets = new AsyncLocalStorage<TimeBudget>()

export function newTimeBudget(milliseconds = REQUEST_MILLISECONDS): TimeBudget {
  return { leftMilliseconds: milliseconds }
}

/** The database calls of `work`, including later ones, share this budget. */
export function withTimeBudget<T>(budget: TimeBudget, work: () => T): T {
  return budgets.run(budget, work)
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
