import type { FastifyInstance } from 'fastify'
import { newTimeBudget, type TimeBudget, withTimeBudget } from '../database/time-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined in a request that was refused before it could ask anything of the database. */
    databaseTime: TimeBudget | undefined
  }
}

/**
 * Gives every request one budget for all that it asks of the database, because many short waits make a long one. The
 * time in which a body arrives, or a password is hashed, does not count.
 */
export function limitDatabaseTime(app: FastifyInstance): void {
  app.decorateRequest('databaseTime')
  app.addHook('onRequest', (request, _reply, done) => {
    const budget = newTimeBudget()
    request.databaseTime = budget
    withTimeBudget(budget, done)
  })
  // A body arrives in events of the socket, which know nothing of the request's budget.
  app.addHook('preValidation', ({ databaseTime }, _reply, done) =>
    databaseTime ? withTimeBudget(databaseTime, done) : done(),
  )
  // No answer waits for what a request left behind, such as a timer.
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.databaseTime) request.databaseTime.leftMilliseconds = Number.POSITIVE_INFINITY
    done()
  })
}
