import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientAddress, networksOf } from '../../platform/http/client-address.ts'
import type { Context } from '../context.ts'
import { type Budget, createLocalCounters } from './counters.ts'
import { createLanes } from './lanes.ts'
import { changeBudgets, mailBudgets, type PasswordBudgets, secretBudgets } from './limits.ts'
import { createSharedCounters } from './shared-counters.ts'
import { createSpending } from './spending.ts'
import { isWrongGuess } from './wrong-guess.ts'

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
  const isShared = config.database.engine === 'postgres'
  const counters = isShared ? createSharedCounters(database, now) : createLocalCounters(now)
  const spending = createSpending(counters, now)
  const lanes = createLanes()

  async function chargeWrongGuess(request: FastifyRequest, error: unknown): Promise<void> {
    if (!isWrongGuess(error)) return
    await spending.spend(secretBudgets(limits, request.routeOptions.url ?? '', networksOf(clientAddress(request))))
  }

  async function verifyReserved(budgets: Budget[], verify: () => Promise<boolean>): Promise<boolean> {
    try {
      return await verify()
    } catch (error) {
      await spending.release(budgets)
      throw error
    }
  }

  return {
    chargeWrongGuess,
    async tryPassword({ own, networks, alsoCharged }, verify) {
      const budgets = [own, ...networks]
      const leave = await lanes.enter(budgets)
      try {
        await spending.reserve(budgets)
        const isRight = await verifyReserved(budgets, verify)
        if (isRight) await Promise.all([counters.restore(own), spending.release(networks)])
        else await spending.spendReserved(budgets, alsoCharged)
        return isRight
      } finally {
        leave()
      }
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
      if (rateLimit === 'change') await spending.spend(changeBudgets(limits, caller))
      if (rateLimit === 'mail') await spending.spend(mailBudgets(limits, request.routeOptions.url ?? '', caller))
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
