import type { FastifyInstance } from 'fastify'
import { newTimeBudget, type TimeBudget, withTimeBudget } from '../database/time-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    databaseTime: TimeBudget
  }
}

/**
 * Gives every request one budget for all that it asks of the database, because many short waits make a long one. The
 * time in which a body arrives, or a password is hashed, does not count.
 */
export function limitDatabaseTime(app: FastifyInstance): void {
  app.decorateRequest('databaseTime')
  app.addHook('onRequest', (request, _reply, done) => {
    request.databaseTime = newTimeBudget()
    withTimeBudget(request.databaseTime, done)
  })
  // A body arrives in events of the socket, which know nothing of the request's budget.
  app.addHook('preValidation', (request, _reply, done) => withTimeBudget(request.databaseTime, done))
  // No answer waits for what a request left behind, such as a timer.
  app.addHook('onResponse', (request, _reply, done) => {
    request.databaseTime.leftMilliseconds = Number.POSITIVE_INFINITY
    done()
  })
}
