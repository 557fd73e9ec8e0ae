import type { FastifyInstance } from 'fastify'

interface QuerySchema {
  properties?: Record<string, unknown>
  additionalProperties?: boolean
}

/**
 * Removes the query parameters that a route does not name, such as those that a mail program adds to links. A query that
 * filters refuses them instead: with a misspelled filter it would answer with everything.
 */
export function ignoreUnknownParameters(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.querystring as QuerySchema | undefined
    if (schema?.properties && schema.additionalProperties !== false) {
      const { properties } = schema
      const entries = Object.entries(request.query as Record<string, unknown>)
      request.query = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(properties, name)))
    }
    done()
  })
}
