import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Longer than a full password queue, and than the time limit of the database calls of a request. */
const WAIT_MILLISECONDS = 5_000
const POLL_MILLISECONDS = 10

declare module 'fastify' {
  interface FastifyInstance {
    /** For a hook that waits: `work` ends with the call of `done`. Afterwards, the handler itself is counted. */
    finishBeforeClose(work: Promise<unknown>): void
  }
}

/** Fastify waits for connections only: after a disconnect, the database would close before the last audit event. */
export function finishHandlers(app: FastifyInstance, waitMilliseconds = WAIT_MILLISECONDS): void {
  let runningCount = 0
  const finish = () => {
    runningCount -= 1
  }
  const finishBeforeClose = (work: Promise<unknown>) => {
    runningCount += 1
    work.then(finish, finish)
  }
  app.decorate('finishBeforeClose', finishBeforeClose)
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      if (result instanceof Promise) finishBeforeClose(result)
      return result
    }
  })
  // Fastify runs this hook after every connection is closed.
  app.addHook('onClose', async () => {
    const deadline = performance.now() + waitMilliseconds
    while (runningCount > 0 && performance.now() < deadline) await pause(POLL_MILLISECONDS)
  })
}
