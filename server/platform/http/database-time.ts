import type { FastifyInstance } from 'fastify'
import { newTimeBudget, type TimeBudget, withTimeBudget } from '../database/time-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined in a request that was refused before this hook. */
    databaseTime: TimeBudget | undefined
  }
}

/** One time budget for all calls of a request, because short waits add up. The arrival of a body does not count. */
export function limitDatabaseTime(app: FastifyInstance): void {
  app.decorateRequest('databaseTime')
  app.addHook('onRequest', (request, _reply, done) => {
    const budget = newTimeBudget()
    request.databaseTime = budget
    withTimeBudget(budget, done)
  })
  // A body arrives in events of the socket, outside of the budget's async context.
  app.addHook('preValidation', ({ databaseTime, method }, _reply, done) => {
    if (!databaseTime) return done()
    // Removes the shared reading: revocations that were committed while the body arrived must be noticed.
    if (method !== 'GET' && method !== 'HEAD') databaseTime.reading = undefined
    withTimeBudget(databaseTime, done)
  })
}
