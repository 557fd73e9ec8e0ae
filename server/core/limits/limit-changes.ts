import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { createTurns, takeTurnInTime, type Wait } from '../../platform/database/turns.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { waitInRequest } from './wait-in-request.ts'

const CONCURRENT_CHANGES_MAXIMUM = 3
const WAITING_MAXIMUM = 1_000

/**
 * @returns ends the turn, also when it is called again
 * @throws ApiError TOO_MANY_REQUESTS when 1,000 requests wait; DatabaseUnavailable after the time of the request
 */
export type TakeUserTurn = (userId: string, onWait: (wait: Wait) => void) => Promise<() => void>

/** Concurrent changes of one user often wait for the same locked row, and would occupy all database connections. */
export function createUserTurns(concurrentMaximum: number): TakeUserTurn {
  const turns = createTurns()
  return (userId, onWait) =>
    takeTurnInTime(turns, userId, concurrentMaximum, (wait) => {
      if (wait.othersWaitingCount >= WAITING_MAXIMUM)
        wait.leave(new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: 1 }))
      else onWait(wait)
    })
}

export function limitChanges(app: FastifyInstance): void {
  const takeTurn = createUserTurns(CONCURRENT_CHANGES_MAXIMUM)
  const endings = new WeakMap<FastifyRequest, () => void>()

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!request.caller || isSignIn(request)) return
    const endTurn = await takeTurn(request.caller.user.id, (wait) => waitInRequest(request, reply, wait))
    endings.set(request, endTurn)
  }

  app.addHook('onRoute', (route) => {
    if (!isChange(route)) return
    // After the body has arrived, and before `authenticateCallers` and `enforceAccess` check the session again.
    route.preValidation = [
      (request, reply, done) => app.finishBeforeClose(begin(request, reply).then(() => done(), done)),
      ...[route.preValidation ?? []].flat(),
    ]
    // Also the response of an error, and of a client that has disconnected, ends the turn.
    route.onSend = [
      (request, _reply, _payload, done) => {
        endings.get(request)?.()
        done()
      },
      ...[route.onSend ?? []].flat(),
    ]
  })
}

/** Reads of staff are charged as changes, and their slow searches would wait for each other. */
function isChange({ method, config: { rateLimit, access } = {} }: RouteOptions): boolean {
  const isOfStaff = typeof access === 'object' && 'staff' in access
  if (method === 'GET' || method === 'HEAD') return rateLimit === 'change' && !isOfStaff
  return rateLimit === 'change' || rateLimit === 'mail' || rateLimit === 'guess'
}

/** A guess that needs no session, such as a sign-in or an API key, is not charged to its user. */
function isSignIn({ routeOptions, requiredTokenHash }: FastifyRequest): boolean {
  return routeOptions.config.rateLimit === 'guess' && requiredTokenHash === null
}
