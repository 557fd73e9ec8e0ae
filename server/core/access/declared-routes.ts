import type { FastifyInstance, FastifySchema } from 'fastify'
import type { RouteAccess } from './access-rules.ts'

export interface DeclaredRoute extends RouteAccess {
  method: string
  url: string
  schema: FastifySchema | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteAccess> {}
  interface FastifyInstance {
    declaredRoutes: DeclaredRoute[]
  }
}

/** @throws Error for a route that does not declare its access */
export function requireDeclarations(app: FastifyInstance): void {
  const routes: DeclaredRoute[] = []
  app.decorate('declaredRoutes', routes)
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    const { access, rateLimit, impersonated } = config ?? {}
    if (access === undefined || rateLimit === undefined || impersonated === undefined)
      throw new Error(`${method} ${url} does not declare its access, rateLimit and impersonated in its config`)
    for (const name of [method].flat())
      routes.push({ ...config, access, rateLimit, impersonated, method: name, url, schema })
  })
}
