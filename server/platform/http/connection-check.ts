import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

/**
 * A client that has closed the connection gets no response, and may have repeated the request at another process. Node
 * also closes its side when a client closes only its own.
 * @returns a function that throws ApiError TOO_MANY_REQUESTS for a closed connection. Only its first call waits.
 */
export function createConnectionCheck({ raw: { socket } }: FastifyRequest): () => Promise<void> {
  let turns: Promise<void> | undefined
  return async () => {
    turns ??= passTwoTurns()
    await turns
    if (!socket.writable) throw new ApiError('TOO_MANY_REQUESTS')
  }
}

/** Node reads the end of a connection in the turn of the event loop after the one in which it has read the request. */
async function passTwoTurns(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
