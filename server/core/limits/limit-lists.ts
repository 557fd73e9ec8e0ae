import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimitName } from './limits.ts'
import { createListTurns } from './list-turns.ts'
import type { RateLimits } from './rate-limits.ts'

const LIST_LIMITS: RateLimitName[] = ['list', 'slow list', 'guess and list']

/**
 * Bounds what lists cost, because a user can make them long: a turn for each list until its response is sent, and
 * changes in proportion to its length.
 */
export function limitLists(app: FastifyInstance, rateLimits: RateLimits): void {
  const turns = createListTurns()
  const endings = new WeakMap<FastifyRequest, () => void>()

  async function begin(request: FastifyRequest): Promise<void> {
    if (!request.caller) return
    const { id } = request.caller.user
    endings.set(request, await turns.take(id))
    await rateLimits.assertMayChange(id)
  }

  /** Also the response of an error, and of a client that has disconnected, ends the turn. */
  async function end(request: FastifyRequest, { raw }: FastifyReply, payload: unknown): Promise<void> {
    const endTurn = endings.get(request)
    if (!request.caller || !endTurn) return
    if (raw.destroyed) endTurn()
    else raw.once('close', endTurn)
    if (typeof payload === 'string') await rateLimits.chargeList(request.caller.user.id, Buffer.byteLength(payload))
  }

  app.addHook('onRoute', (route) => {
    const { rateLimit } = route.config ?? {}
    if (rateLimit === undefined || !LIST_LIMITS.includes(rateLimit)) return
    route.onRequest = [
      (request, _reply, done) => app.finishBeforeClose(begin(request).then(() => done(), done)),
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
