import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseUnavailable } from './unavailable.ts'

/** A request is answered within 2 s while the database hangs: its work outside of the database needs the rest. */
const REQUEST_MILLISECONDS = 1_700

/** The time that the database work of one request may still take. Waiting for connections and locks is part of it. */
export interface TimeBudget {
  leftMilliseconds: number
}

const budgets = new AsyncLocalStorage<TimeBudget>()

export function newTimeBudget(milliseconds = REQUEST_MILLISECONDS): TimeBudget {
  return { leftMilliseconds: milliseconds }
}

/** Runs work whose database calls, later ones included, share this budget. */
export function withTimeBudget<T>(budget: TimeBudget, work: () => T): T {
  return budgets.run(budget, work)
}

/**
 * Runs database work, and subtracts the time that it takes from the budget of the request.
 * @param milliseconds the limit; a request with less time left has that less
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
