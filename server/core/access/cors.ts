import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RouteAccess } from './access-rules.ts'
import type { Origins } from './origins.ts'

const EXPOSED_HEADERS = 'x-retry-after, x-request-id'
/** The session token is a credential, so services in RETURN_TO_ORIGINS must not read it. */
const EXPOSED_TO_TRUSTED = `set-auth-token, ${EXPOSED_HEADERS}`
const ALLOWED_METHODS = 'GET, HEAD, POST'

/** Fetch standard, section 3.3. A refused preflight gets the response of a URL without a route. */
export function answerCors(app: FastifyInstance, origins: Origins): void {
  const findPreflightRoute = collectOpenRoutes(app)

  app.addHook('onRequest', (request, reply, done) => {
    // Every response depends on the origin, so a shared cache must not mix the responses of two origins.
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || request.routeOptions.config.otherOrigins === 'decided by client') return done()
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    const route = isPreflight ? findPreflightRoute(request) : request.routeOptions.config
    if (origins.mayCall(origin, route)) grant(reply, origin, origins.isTrusted(origin))
    else if (isPreflight && route.otherOrigins === 'public') reply.header('access-control-allow-origin', '*')
    else return done()
    if (!isPreflight) return done()
    sendPreflight(request, reply)
  })
}

/** Finds the route of a preflight by method and path, because OPTIONS requests have no route. */
function collectOpenRoutes(app: FastifyInstance): (request: FastifyRequest) => Partial<RouteAccess> {
  const open = new Map<string, Partial<RouteAccess>>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.otherOrigins !== 'allowed' && config?.otherOrigins !== 'public') return
    if (/[:*]/.test(url)) throw new Error(`${url} has parameters: other origins may call fixed paths only`)
    for (const name of [method].flat()) open.set(`${name} ${url}`, config)
  })
  return ({ headers, url }) => {
    const [path] = url.split('?', 1)
    return open.get(`${headers['access-control-request-method']} ${path}`) ?? {}
  }
}

function grant(reply: FastifyReply, origin: string, isTrusted: boolean): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': isTrusted ? EXPOSED_TO_TRUSTED : EXPOSED_HEADERS,
  })
}

function sendPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-methods': ALLOWED_METHODS,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
  })
  reply.code(204).send()
}
