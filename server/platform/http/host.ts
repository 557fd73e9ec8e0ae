import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { isLocal } from '../config/loopback.ts'
import { ApiError } from './errors.ts'
import { headerValues } from './header-values.ts'

/** Health checks may use any host name. Their responses are the same for every caller. */
const HEALTH_CHECKS = new Set(['/healthz', '/readyz', '/api/auth/ok'])

/** The Host header is required (RFC 9112, section 3.2). On localhost, its check prevents DNS rebinding. */
export function checkHosts(app: FastifyInstance, { baseUrl }: Config): void {
  const { protocol, host, port } = new URL(baseUrl)
  const defaultPort = protocol === 'https:' ? 443 : 80
  const own = isLocal(baseUrl) ? new Set([host, port === '' ? `${host}:${defaultPort}` : host]) : undefined

  app.addHook('onRequest', (request, reply, done) => {
    const named = request.headers.host
    if (named === undefined && request.raw.httpVersion === '1.1') {
      reply.header('connection', 'close')
      throw new ApiError('MALFORMED_REQUEST', { message: 'The request has no Host header.' })
    }
    if (own === undefined || HEALTH_CHECKS.has(request.routeOptions.url ?? '')) return done()
    const isOwn = named !== undefined && own.has(named.toLowerCase())
    if (!isOwn || headerValues(request, 'host').length > 1) throw new ApiError('MISDIRECTED_REQUEST')
    done()
  })
}
