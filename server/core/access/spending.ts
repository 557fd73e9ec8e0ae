import { setTimeout as pause } from 'node:timers/promises'
import { PasswordsBusy } from '../../platform/crypto/passwords.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Budget, Charge, Counters, Usage } from './counters.ts'
import { createFullBudgets } from './full-budgets.ts'

/** For room in a budget that only guesses under way take up. Hashing them takes less. */
const WAIT_MILLISECONDS = 15_000
const FIRST_PAUSE_MILLISECONDS = 20

export interface Spending {
  /** Uses up one of each budget. @throws ApiError TOO_MANY_REQUESTS when one was used up before */
  spend(budgets: Budget[]): Promise<void>
  /**
   * Takes room for one guess in each budget. Where only guesses under way take the room up, it waits for them.
   * @throws ApiError TOO_MANY_REQUESTS when a budget is used up; PasswordsBusy after 15 seconds
   */
  reserve(budgets: Budget[]): Promise<void>
  release(budgets: Budget[]): Promise<void>
  /** Turns reservations into uses, and charges further budgets. */
  spendReserved(budgets: Budget[], furtherBudgets: Budget[]): Promise<void>
}

export function createSpending(counters: Counters, now: () => number): Spending {
  const fullBudgets = createFullBudgets(now)

  function refuseIfFull(budgets: Budget[]): void {
    const end = fullBudgets.findEnd(budgets)
    if (end !== undefined) throw tooManyRequests(end, now())
  }

  function refuse({ budget, expiresAt }: Usage): never {
    fullBudgets.add(budget, expiresAt)
    throw tooManyRequests(expiresAt, now())
  }

  async function release(budgets: Budget[]): Promise<void> {
    if (budgets.length > 0) await counters.charge(chargesOf(budgets, { used: 0, reserved: -1 }))
  }

  return {
    release,
    async spend(budgets) {
      refuseIfFull(budgets)
      const usages = await counters.charge(chargesOf(budgets, { used: 1, reserved: 0 }))
      const full = usages.find(({ budget, used }) => used > budget.limit)
      if (full) refuse(full)
    },
    async reserve(budgets) {
      const startedAt = performance.now()
      for (let milliseconds = FIRST_PAUSE_MILLISECONDS; ; milliseconds *= 2) {
        refuseIfFull(budgets)
        const usages = await counters.charge(chargesOf(budgets, { used: 0, reserved: 1 }))
        if (usages.every(({ budget, used, reserved }) => used + reserved <= budget.limit)) return
        await release(budgets)
        const full = usages.find(({ budget, used }) => used >= budget.limit)
        if (full) refuse(full)
        if (performance.now() - startedAt > WAIT_MILLISECONDS) throw new PasswordsBusy()
        await pause(milliseconds)
      }
    },
    async spendReserved(budgets, furtherBudgets) {
      const further = chargesOf(furtherBudgets, { used: 1, reserved: 0 })
      await counters.charge([...chargesOf(budgets, { used: 1, reserved: -1 }), ...further])
    },
  }
}

function chargesOf(budgets: Budget[], amounts: Omit<Charge, 'budget'>): Charge[] {
  return budgets.map((budget) => ({ budget, ...amounts }))
}

/** The one place where these limits refuse a request. */
function tooManyRequests(end: number, now: number): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.max(1, Math.ceil((end - now) / 1000)) })
}
