import type { FastifyInstance } from 'fastify'
import { accessRuleOf } from './access-rules.ts'

/** A response that may depend on the caller must not be stored. A public route sets its own cache-control. */
export function forbidCaching(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (accessRuleOf(request.routeOptions.config.access).session !== 'ignored')
      reply.header('cache-control', 'no-store')
    done()
  })
}
