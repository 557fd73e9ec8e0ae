import { isLive } from '../../platform/time/is-live.ts'
import type { Budget } from './counters.ts'

/** About 2 MB. */
const BUDGETS_MAXIMUM = 10_000
/** After this time the counter is read again, because staff may have cleared it in another process. */
const TRUSTED_MILLISECONDS = 1_000

export interface ExhaustedBudgets {
  /** @returns the window's end (epoch milliseconds) of a budget that is known to be used up */
  findWindowEnd(budgets: Budget[]): number | undefined
  /** Whether the budget was used up when its counter was last read. */
  wasExhausted(budget: Budget): boolean
  add(budget: Budget, end: number): void
  delete(key: string): void
}

/** Remembers used-up budgets, so that a flood is refused without locking the counter's row in the database. */
export function createExhaustedBudgets(now: () => number): ExhaustedBudgets {
  const ends = new Map<string, { end: number; knownAt: number }>()
  return {
    findWindowEnd(budgets) {
      for (const { key, windowMilliseconds } of budgets) {
        const known = ends.get(key)
        if (!known || Math.abs(now() - known.knownAt) > TRUSTED_MILLISECONDS) continue
        if (isLive(known.end, windowMilliseconds, now())) return known.end
      }
      return undefined
    },
    wasExhausted: ({ key }) => ends.has(key),
    add({ key }, end) {
      ends.delete(key)
      ends.set(key, { end, knownAt: now() })
      if (ends.size > BUDGETS_MAXIMUM) ends.delete(ends.keys().next().value ?? '')
    },
    delete: (key) => void ends.delete(key),
  }
}
