import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Wait } from '../../platform/database/turns.ts'
import { ApiError } from '../../platform/http/errors.ts'

/** The request authenticates again after the wait, because its session may have been revoked. */
export function waitInRequest(request: FastifyRequest, { raw }: FastifyReply, wait: Wait): void {
  request.hasWaited = true
  // Revocations that are committed during the wait must be noticed.
  if (request.databaseTime) request.databaseTime.reading = undefined
  const leave = () => wait.leave(new ApiError('TOO_MANY_REQUESTS'))
  if (raw.destroyed) leave()
  else raw.once('close', leave)
}
