import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

/**
 * A client that has closed the connection gets no response, and may have repeated the request at another process. Node
 * also closes its side when a client closes only its own.
 * @throws ApiError TOO_MANY_REQUESTS when the connection is closed, which no client reads
 */
export async function assertConnected({ raw: { socket } }: FastifyRequest): Promise<void> {
  // Node reads the end of a connection in the turn of the event loop after the one in which it has read the request.
  await nextTurn()
  await nextTurn()
  if (!socket.writable) throw new ApiError('TOO_MANY_REQUESTS')
}
