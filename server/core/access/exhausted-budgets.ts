import { type Budget, isLive } from './counters.ts'

/** About 2 MB. */
const BUDGETS_MAXIMUM = 10_000

export interface ExhaustedBudgets {
  /** @returns the window's end (epoch milliseconds) of a budget that is known to be used up */
  findWindowEnd(budgets: Budget[]): number | undefined
  add(budget: Budget, end: number): void
}

/** Remembers used-up budgets, so that a flood is refused without locking the counter's row in the database. */
export function createExhaustedBudgets(now: () => number): ExhaustedBudgets {
  const ends = new Map<string, number>()
  return {
    findWindowEnd(budgets) {
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
