import type { FastifyInstance } from 'fastify'

interface QuerySchema {
  properties?: Record<string, unknown>
  additionalProperties?: boolean
}

/** Mail programs add parameters to links. Routes that filter refuse them: a misspelt filter would return everything. */
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
