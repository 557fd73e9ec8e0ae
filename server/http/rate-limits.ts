import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { PasswordsBusy } from '../secrets/passwords.ts'
import { clientAddress, networksOf } from './client-address.ts'
import { type Budget, type Charge, type Counters, createLocalCounters, type Usage } from './counters.ts'
import { ApiError } from './errors.ts'
import { changeBudgets, guessBudgets, mailBudgets, type PasswordBudgets } from './limits.ts'
import { createSharedCounters } from './shared-counters.ts'
import { isWrongGuess } from './wrong-guess.ts'

/** For room in a budget that only guesses under way take up. Hashing them takes less. */
const WAIT_MILLISECONDS = 5_000
const FIRST_PAUSE_MILLISECONDS = 20

export interface RateLimits {
  /**
   * Verifies a password within its budgets. Room is reserved before the password is verified, so that concurrent guesses
   * can't share it (CVE-2024-4629), and given back when the password is right.
   * @throws ApiError TOO_MANY_REQUESTS; PasswordsBusy where other guesses take up the room for too long
   */
  tryPassword(budgets: PasswordBudgets, verify: () => Promise<boolean>): Promise<boolean>
  /**
   * Runs a check of a secret with 256 random bits (a link, an API key, a passkey). A wrong one counts against the network.
   * A right one always passes, so that nobody else in the network can lock its owner out.
   * @throws ApiError TOO_MANY_REQUESTS instead of the check's own error
   */
  countGuess<T>(request: FastifyRequest, check: () => Promise<T>): Promise<T>
  /** Charges the network if the error is that of a wrong secret. @throws ApiError TOO_MANY_REQUESTS */
  chargeWrongGuess(request: FastifyRequest, error: unknown): Promise<void>
  /** Charges a request to what its route declares. @throws ApiError TOO_MANY_REQUESTS */
  chargeCost(request: FastifyRequest): Promise<void>
}

/** Counters live in the process on SQLite, and in PostgreSQL where several processes share it. */
export function createRateLimits({ config, database, now }: Context): RateLimits {
  const { limits } = config
  const counters =
    config.database.engine === 'postgres' ? createSharedCounters(database, now) : createLocalCounters(now)

  async function spend(budgets: Budget[]): Promise<void> {
    const usages = await counters.charge(chargesOf(budgets, { used: 1, reserved: 0 }))
    const over = budgets.findIndex(({ limit }, index) => (usages[index]?.used ?? 0) > limit)
    if (over >= 0) throw tooManyRequests(usages[over], now())
  }

  async function reserve(budgets: Budget[]): Promise<void> {
    const startedAt = performance.now()
    for (let milliseconds = FIRST_PAUSE_MILLISECONDS; ; milliseconds *= 2) {
      const usages = await counters.charge(chargesOf(budgets, { used: 0, reserved: 1 }))
      if (usages.every(({ used, reserved }, index) => used + reserved <= (budgets[index]?.limit ?? 0))) return
      await release(counters, budgets)
      const full = usages.find(({ used }, index) => used >= (budgets[index]?.limit ?? 0))
      if (full) throw tooManyRequests(full, now())
      if (performance.now() - startedAt > WAIT_MILLISECONDS) throw new PasswordsBusy()
      await pause(milliseconds)
    }
  }

  async function chargeWrongGuess(request: FastifyRequest, error: unknown): Promise<void> {
    if (isWrongGuess(error)) await spend(guessBudgets(limits, 'secret', networksOf(clientAddress(request))))
  }

  return {
    chargeWrongGuess,
    async tryPassword({ own, networks, alsoCharged }, verify) {
      await reserve([own, ...networks])
      let isRight: boolean
      try {
        isRight = await verify()
      } catch (error) {
        await release(counters, [own, ...networks])
        throw error
      }
      if (isRight) await Promise.all([counters.restore(own), release(counters, networks)])
      else
        await counters.charge([
          ...chargesOf([own, ...networks], { used: 1, reserved: -1 }),
          ...chargesOf(alsoCharged, { used: 1, reserved: 0 }),
        ])
      return isRight
    },
    async countGuess(request, check) {
      try {
        return await check()
      } catch (error) {
        await chargeWrongGuess(request, error)
        throw error
      }
    },
    async chargeCost(request) {
      const { rateLimit } = request.routeOptions.config
      const caller = request.caller?.user.id ?? networksOf(clientAddress(request))
      if (rateLimit === 'change') await spend(changeBudgets(limits, caller))
      if (rateLimit === 'mail') await spend(mailBudgets(limits, request.routeOptions.url ?? '', caller))
    },
  }
}

/** After the caller is known, and before the body is read. */
export function limitCosts(app: FastifyInstance, rateLimits: RateLimits): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rateLimit } = request.routeOptions.config
    if (rateLimit !== 'change' && rateLimit !== 'mail') return done()
    rateLimits.chargeCost(request).then(() => done(), done)
  })
}

function release(counters: Counters, budgets: Budget[]): Promise<Usage[]> {
  return budgets.length > 0 ? counters.charge(chargesOf(budgets, { used: 0, reserved: -1 })) : Promise.resolve([])
}

function chargesOf(budgets: Budget[], amounts: Omit<Charge, 'budget'>): Charge[] {
  return budgets.map((budget) => ({ budget, ...amounts }))
}

function tooManyRequests(usage: Usage | undefined, now: number): ApiError {
  const milliseconds = (usage?.expiresAt ?? now) - now
  return new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)) })
}
