import { setTimeout as pause } from 'node:timers/promises'
import { TooManyWaiting } from '../../platform/crypto/passwords.ts'
import { newTimeBudget, withTimeBudget } from '../../platform/database/time-budget.ts'
import { isUnavailable } from '../../platform/database/unavailable.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { type Budget, type Charge, type Counters, RESERVATION_MILLISECONDS, type Usage } from './counters.ts'
import { createExhaustedBudgets } from './exhausted-budgets.ts'

/** Longer than the password hashing of the guesses that occupy the budget. */
const WAIT_MILLISECONDS = 5_000
const FIRST_PAUSE_MILLISECONDS = 20
const LONGEST_PAUSE_MILLISECONDS = 320
const RETRY_MILLISECONDS = 500

const RELEASE = { used: 0, reserved: -1 } as const

export interface Spending {
  /** @throws ApiError TOO_MANY_REQUESTS */
  spend(budgets: Budget[]): Promise<void>
  /** Charges full budgets too. @returns the room of the budgets, at least one @throws ApiError TOO_MANY_REQUESTS */
  spendUpTo(budgets: Budget[], count: number, message?: string): Promise<number>
  /**
   * Reads only counters of budgets that this process has known to be used up, so that other users cost no statement.
   * @throws ApiError TOO_MANY_REQUESTS when a budget is used up
   */
  assertRoom(budgets: Budget[]): Promise<void>
  /** Waits while other guesses occupy a budget. @throws ApiError TOO_MANY_REQUESTS; TooManyWaiting after 5 seconds */
  reserve(budgets: Budget[]): Promise<void>
  release(budgets: Budget[]): Promise<void>
  /** Turns reservations into uses, and charges one use to each further budget. */
  spendReserved(budgets: Budget[], furtherBudgets: Budget[]): Promise<void>
  /** Releases the reservations, and sets the uses of `restored` to zero. */
  releaseAndRestore(restored: Budget, others: Budget[]): Promise<void>
  forget(key: string): void
}

export function createSpending(counters: Counters, now: () => number): Spending {
  const exhaustedBudgets = createExhaustedBudgets(now)

  function assertNotExhausted(budgets: Budget[], message?: string): void {
    const end = exhaustedBudgets.findWindowEnd(budgets)
    if (end !== undefined) throw tooManyRequests(end, now(), message)
  }

  function refuse({ budget, expiresAt }: Usage, message?: string): never {
    exhaustedBudgets.add(budget, expiresAt)
    throw tooManyRequests(expiresAt, now(), message)
  }

  async function spendUpTo(budgets: Budget[], count: number, message?: string): Promise<number> {
    assertNotExhausted(budgets, message)
    const usages = await counters.charge(chargesOf(budgets, { used: count, reserved: 0 }))
    const roomOf = ({ budget, used }: Usage) => budget.limit - (used - count)
    const exhausted = usages.find((usage) => roomOf(usage) <= 0)
    if (exhausted) refuse(exhausted, message)
    for (const usage of usages) if (roomOf(usage) <= count) exhaustedBudgets.add(usage.budget, usage.expiresAt)
    return Math.min(count, ...usages.map(roomOf))
  }

  async function assertRoom(budgets: Budget[]): Promise<void> {
    assertNotExhausted(budgets)
    for (const budget of budgets.filter(exhaustedBudgets.wasExhausted)) {
      const counter = await counters.find(budget)
      if (counter && counter.used >= budget.limit) refuse({ budget, reserved: 0, ...counter })
      exhaustedBudgets.delete(budget.key)
    }
  }

  function release(budgets: Budget[]): Promise<void> {
    return endReservation(budgets, () => counters.charge(chargesOf(budgets, RELEASE)))
  }

  /** While the database is unavailable, a reservation would stay and occupy the budget for other guesses. */
  async function endReservation(budgets: Budget[], end: () => Promise<unknown>): Promise<void> {
    try {
      await end()
    } catch (error) {
      if (isUnavailable(error)) void releaseLater(budgets)
      throw error
    }
  }

  async function releaseLater(budgets: Budget[]): Promise<void> {
    const expiresAt = performance.now() + RESERVATION_MILLISECONDS
    while (performance.now() < expiresAt) {
      await pause(RETRY_MILLISECONDS, undefined, { ref: false })
      try {
        // The request has used up its own time for the database.
        await withTimeBudget(newTimeBudget(), () => counters.charge(chargesOf(budgets, RELEASE)))
        return
      } catch (error) {
        // The error must not leave this function: without a request that waits for it, it would end the process. The
        // reservation expires by itself.
        if (!isUnavailable(error)) return
      }
    }
  }

  return {
    release,
    releaseAndRestore(restored, others) {
      const charges = [{ budget: restored, ...RELEASE, restores: true }, ...chargesOf(others, RELEASE)]
      return endReservation([restored, ...others], () => counters.charge(charges))
    },
    forget: exhaustedBudgets.delete,
    spendUpTo,
    assertRoom,
    async spend(budgets) {
      await spendUpTo(budgets, 1)
    },
    async reserve(budgets) {
      const startedAt = performance.now()
      for (let milliseconds = FIRST_PAUSE_MILLISECONDS; ; milliseconds = nextPause(milliseconds)) {
        assertNotExhausted(budgets)
        const usages = await counters.charge(chargesOf(budgets, { used: 0, reserved: 1 }))
        if (usages.every(({ budget, used, reserved }) => used + reserved <= budget.limit)) return
        await release(budgets)
        const exhausted = usages.find(({ budget, used }) => used >= budget.limit)
        if (exhausted) refuse(exhausted)
        if (performance.now() - startedAt > WAIT_MILLISECONDS) throw new TooManyWaiting()
        await pause(milliseconds)
      }
    },
    async spendReserved(budgets, furtherBudgets) {
      const further = chargesOf(furtherBudgets, { used: 1, reserved: 0 })
      const charges = [...chargesOf(budgets, { used: 1, reserved: -1 }), ...further]
      await endReservation(budgets, () => counters.charge(charges))
    },
  }
}

function nextPause(milliseconds: number): number {
  return Math.min(2 * milliseconds, LONGEST_PAUSE_MILLISECONDS)
}

function chargesOf(budgets: Budget[], amounts: Omit<Charge, 'budget'>): Charge[] {
  return budgets.map((budget) => ({ budget, ...amounts }))
}

function tooManyRequests(end: number, now: number, message?: string): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((end - now) / 1000))
  return new ApiError('TOO_MANY_REQUESTS', { ...(message && { message }), retryAfterSeconds })
}
