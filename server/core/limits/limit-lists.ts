import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createTurns } from '../../platform/database/turns.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { CONCURRENT_LISTS_MAXIMUM, type RateLimitName } from './limits.ts'
import type { RateLimits } from './rate-limits.ts'
import { waitInRequest } from './wait-in-request.ts'

const LIST_LIMITS: RateLimitName[] = ['list', 'slow list', 'guess and list']
const WAIT_MILLISECONDS = 5_000

interface ListTurn {
  userId: string
  end: () => void
}

/**
 * A user can make lists long, so each list costs changes in proportion to its length. A turn lasts until the response
 * is sent, because the process holds an unread response until it disconnects the client.
 */
export function limitLists(app: FastifyInstance, rateLimits: RateLimits, waitMilliseconds = WAIT_MILLISECONDS): void {
  const turns = createTurns()
  const turnOf = new WeakMap<FastifyRequest, ListTurn>()
  const retryAfterSeconds = Math.ceil(waitMilliseconds / 1000)

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!request.caller) return
    const userId = request.caller.user.id
    const end = await turns.take(userId, CONCURRENT_LISTS_MAXIMUM, (wait) => {
      wait.leaveAfter(waitMilliseconds, () => new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds }))
      waitInRequest(request, reply, wait)
    })
    turnOf.set(request, { userId, end })
    if (request.databaseTime) request.databaseTime.longReader = userId
    await rateLimits.assertMayChange(userId)
  }

  /** Also the response of an error, and of a client that has disconnected, ends the turn. */
  async function end(request: FastifyRequest, { raw }: FastifyReply, payload: unknown): Promise<void> {
    const turn = turnOf.get(request)
    if (!turn) return
    if (raw.destroyed) turn.end()
    else raw.once('close', turn.end)
    if (typeof payload === 'string') await rateLimits.chargeList(turn.userId, Buffer.byteLength(payload))
  }

  app.addHook('onRoute', (route) => {
    const { rateLimit } = route.config ?? {}
    if (rateLimit === undefined || !LIST_LIMITS.includes(rateLimit)) return
    route.onRequest = [
      (request, reply, done) => app.finishBeforeClose(begin(request, reply).then(() => done(), done)),
      ...[route.onRequest ?? []].flat(),
    ]
    route.onSend = [
      (request, reply, payload, done) =>
        app.finishBeforeClose(end(request, reply, payload).then(() => done(null, payload), done)),
      // Fastify's own hook of HEAD removes the payload.
      ...[route.onSend ?? []].flat(),
    ]
  })
}
