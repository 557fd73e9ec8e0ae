import type { FastifyInstance } from 'fastify'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { DeadlinePool } from '../database/postgres-pool.ts'
import { hashToken } from '../secrets/tokens.ts'
import { clientAddress, networksOf } from './client-address.ts'
import { ApiError } from './errors.ts'

/** Requests of one client address (IPv6: one /64) to one route. `none` is for what is cheap to answer and changes nothing. */
export const RATE_LIMITS = {
  none: undefined,
  change: { points: 300, durationSeconds: 60 },
  /** Whatever checks a password or a link's token. */
  guess: { points: 30, durationSeconds: 60 },
  /** Whatever sends a letter. */
  mail: { points: 20, durationSeconds: 60 },
} as const

export type RateLimitName = keyof typeof RATE_LIMITS

/** Wrong passwords for one account, from wherever and through whichever endpoint they come (CVE-2026-43914). */
const PASSWORD_GUESSES = { points: 20, durationSeconds: 900 }

export interface RateLimits {
  /**
   * Takes one try from an account's budget, before the password is looked at, so that tries at once can't share one
   * (CVE-2024-4629). @throws ApiError TOO_MANY_REQUESTS
   */
  spendPasswordGuess(email: string): Promise<void>
  /** The password was right: the account's budget is whole again. */
  restorePasswordGuesses(email: string): Promise<void>
}

/** Counters live in the process, or in PostgreSQL where several processes share them. */
export function limitRates(app: FastifyInstance, pool: DeadlinePool | undefined): RateLimits {
  const limiters = new Map(
    Object.entries(RATE_LIMITS).flatMap(([name, limit]) =>
      limit ? [[name, createLimiter(name, limit, pool)] as const] : [],
    ),
  )
  const guesses = createLimiter('password', PASSWORD_GUESSES, pool)

  app.addHook('onRequest', (request, _reply, done) => {
    const limiter = limiters.get(request.routeOptions.config.rateLimit ?? 'none')
    if (!limiter) return done()
    spend(limiter, `${request.routeOptions.url} ${networksOf(clientAddress(request)).network}`).then(() => done(), done)
  })

  return {
    spendPasswordGuess: (email) => spend(guesses, hashToken(email)),
    async restorePasswordGuesses(email) {
      await guesses.delete(hashToken(email))
    },
  }
}

function createLimiter(
  keyPrefix: string,
  { points, durationSeconds }: { points: number; durationSeconds: number },
  pool: DeadlinePool | undefined,
): RateLimiterAbstract {
  const options = { keyPrefix, points, duration: durationSeconds }
  if (!pool) return new RateLimiterMemory(options)
  const store = { storeClient: pool, storeType: 'pool', tableName: 'rateLimits', tableCreated: true }
  return new RateLimiterPostgres({ ...options, ...store })
}

async function spend(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    throw new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(refusal.msBeforeNext / 1000) })
  }
}
