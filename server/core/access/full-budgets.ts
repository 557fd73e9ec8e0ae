import { type Budget, isLive } from './counters.ts'

/** About 2 MB. */
const BUDGETS_MAXIMUM = 10_000

/** Budgets that are used up until their window ends. */
export interface FullBudgets {
  /** @returns when the window of one of the budgets ends (epoch milliseconds), if it is known to be used up */
  findEnd(budgets: Budget[]): number | undefined
  add(budget: Budget, end: number): void
}

/** Refuses a flood without asking the database, where each counter is one row that all of its requests wait for. */
export function createFullBudgets(now: () => number): FullBudgets {
  const ends = new Map<string, number>()
  return {
    findEnd(budgets) {
      for (const { key, windowMilliseconds } of budgets) {
        const end = ends.get(key)
        if (end !== undefined && isLive(end, windowMilliseconds, now())) return end
      }
      return undefined
    },
    add({ key }, end) {
      ends.delete(key)
      ends.set(key, end)
      if (ends.size > BUDGETS_MAXIMUM) ends.delete(ends.keys().next().value ?? '')
    },
  }
}
