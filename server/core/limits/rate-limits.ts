import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUnavailable } from '../../platform/database/unavailable.ts'
import { clientAddress, networksOf } from '../../platform/http/client-address.ts'
import type { Context } from '../context.ts'
import { type Budget, type Counters, createLocalCounters } from './counters.ts'
import { createGuessQueues } from './guess-queues.ts'
import { createUserTurns, type TakeUserTurn } from './limit-changes.ts'
import {
  changeBudgets,
  invitationBudgets,
  LIST_BYTES_PER_CHANGE,
  mailBudgets,
  type PasswordBudgets,
  refreshBudgets,
  registrationBudgets,
  secretBudgets,
  userCodeBudget,
} from './limits.ts'
import { createSharedCounters } from './shared-counters.ts'
import { createSpending } from './spending.ts'
import { isWrongGuess } from './wrong-guess.ts'

/** Fewer than the user's own changes: both together must leave connections for other users. */
const CONCURRENT_APP_REQUESTS_MAXIMUM = 2
const TOO_MANY_INVITATIONS = 'You have sent as many invitations as you may in a day. Try again later.'

export interface RateLimits {
  /**
   * A reservation before the check keeps concurrent guesses from sharing room in a budget (CVE-2024-4629).
   * @throws ApiError TOO_MANY_REQUESTS; TooManyWaiting when other guesses occupy the budgets for too long
   */
  tryPassword(budgets: PasswordBudgets, verify: () => Promise<boolean>): Promise<boolean>
  /**
   * For a passkey or 256 random bits, which no number of guesses finds. A right secret always passes: other clients in
   * the network can't lock out its owner.
   * @throws ApiError TOO_MANY_REQUESTS instead of the error of the check
   */
  countGuess<T>(request: FastifyRequest, check: () => Promise<T>): Promise<T>
  /**
   * For the code of a device (RFC 8628, section 5.1). A used-up budget refuses a right code too. A right code restores
   * no budget, because users can get codes for devices of their own.
   * @throws ApiError TOO_MANY_REQUESTS; TooManyWaiting as `tryPassword`
   */
  tryUserCode<T>(request: FastifyRequest, userId: string, check: () => Promise<T>): Promise<T>
  /** Charges the network if the error reports a wrong secret. @throws ApiError TOO_MANY_REQUESTS */
  chargeWrongGuess(request: FastifyRequest, error: unknown): Promise<void>
  /** Charges the rate limit that the route declares. @throws ApiError TOO_MANY_REQUESTS */
  chargeCost(request: FastifyRequest): Promise<void>
  /** @throws ApiError TOO_MANY_REQUESTS when the user has used up the budget of changes, as far as this process knows */
  assertMayChange(userId: string): Promise<void>
  /** A list that is longer than most costs changes of the user. @throws ApiError TOO_MANY_REQUESTS */
  chargeList(userId: string, bytes: number): Promise<void>
  /** The changes of the user never wait for requests that a client makes for the user. */
  takeAppTurn: TakeUserTurn
  /** For a change by a client of the user. @throws ApiError TOO_MANY_REQUESTS */
  chargeChange(userId: string): Promise<void>
  /** @throws ApiError TOO_MANY_REQUESTS */
  chargeRefresh(userId: string): Promise<void>
  /** @throws ApiError TOO_MANY_REQUESTS */
  chargeRegistration(ipAddress: string | null): Promise<void>
  /** @returns the number that the user may send, at least one @throws ApiError TOO_MANY_REQUESTS */
  chargeInvitations(userId: string, count: number): Promise<number>
  /** @returns the end of the window (epoch milliseconds) of a budget that is used up */
  findWindowEnd(budget: Budget): Promise<number | undefined>
  listHalfUsed: Counters['listHalfUsed']
  clear: Counters['clear']
  /** For a counter whose `clear` is committed. Other processes notice it within a second. */
  forget: Counters['forget']
}

/** Counters are in the process on SQLite, and in the database on PostgreSQL, because several processes may share it. */
export function createRateLimits({ config, database, now }: Context): RateLimits {
  const { limits } = config
  const isShared = config.database.engine === 'postgres'
  const counters = isShared ? createSharedCounters(database, now, limits) : createLocalCounters(now)
  const spending = createSpending(counters, now)
  const queues = createGuessQueues()

  async function chargeWrongGuess(request: FastifyRequest, error: unknown): Promise<void> {
    if (!isWrongGuess(error)) return
    await spending.spend(secretBudgets(limits, request.routeOptions.url ?? '', networksOf(clientAddress(request))))
  }

  async function countGuess<T>(request: FastifyRequest, check: () => Promise<T>): Promise<T> {
    try {
      return await check()
    } catch (error) {
      await chargeWrongGuess(request, error)
      throw error
    }
  }

  async function withReservations<T>(
    budgets: Budget[],
    check: () => Promise<T>,
    end: (result: T) => Promise<void>,
  ): Promise<T> {
    const guess = await queues.enter(budgets)
    try {
      await spending.reserve(budgets)
      const result = await checkReserved(budgets, check)
      await end(result)
      return result
    } catch (error) {
      if (isUnavailable(error)) guess.failAllWaiting(error)
      throw error
    } finally {
      guess.leave()
    }
  }

  async function checkReserved<T>(budgets: Budget[], check: () => Promise<T>): Promise<T> {
    try {
      return await check()
    } catch (error) {
      if (isWrongGuess(error)) await spending.spendReserved(budgets, [])
      else await spending.release(budgets)
      throw error
    }
  }

  return {
    chargeWrongGuess,
    countGuess,
    tryPassword({ own, networks, alsoCharged }, verify) {
      const budgets = [own, ...networks]
      return withReservations(budgets, verify, (isRight) =>
        isRight ? spending.releaseAndRestore(own, networks) : spending.spendReserved(budgets, alsoCharged),
      )
    },
    tryUserCode(request, userId, check) {
      const budgets = [userCodeBudget(limits, userId)]
      return countGuess(request, () => withReservations(budgets, check, () => spending.release(budgets)))
    },
    listHalfUsed: counters.listHalfUsed,
    clear: counters.clear,
    forget(key) {
      counters.forget(key)
      spending.forget(key)
    },
    async findWindowEnd(budget) {
      const counter = await counters.find(budget)
      return counter && counter.used >= budget.limit ? counter.expiresAt : undefined
    },
    assertMayChange: (userId) => spending.assertRoom(changeBudgets(limits, userId)),
    async chargeList(userId, bytes) {
      const changes = Math.floor(bytes / LIST_BYTES_PER_CHANGE)
      if (changes > 0) await spending.spendUpTo(changeBudgets(limits, userId), changes)
    },
    takeAppTurn: createUserTurns(CONCURRENT_APP_REQUESTS_MAXIMUM),
    chargeChange: (userId) => spending.spend(changeBudgets(limits, userId)),
    chargeRefresh: (userId) => spending.spend(refreshBudgets(limits, userId)),
    chargeInvitations: (userId, count) =>
      spending.spendUpTo(invitationBudgets(limits, userId), count, TOO_MANY_INVITATIONS),
    chargeRegistration: (ipAddress) => spending.spend(registrationBudgets(limits, networksOf(ipAddress))),
    async chargeCost(request) {
      const { rateLimit } = request.routeOptions.config
      const payer = request.caller?.user.id ?? networksOf(clientAddress(request))
      if (rateLimit === 'change' || rateLimit === 'slow list') await spending.spend(changeBudgets(limits, payer))
      if (rateLimit === 'mail') await spending.spend(mailBudgets(limits, request.routeOptions.url ?? '', payer))
    },
  }
}

/** Charges requests after authentication, because budgets belong to users, and before the body is read. */
export function limitCosts(app: FastifyInstance, rateLimits: RateLimits): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rateLimit } = request.routeOptions.config
    if (rateLimit !== 'change' && rateLimit !== 'slow list' && rateLimit !== 'mail') return done()
    app.finishBeforeClose(rateLimits.chargeCost(request).then(() => done(), done))
  })
}
