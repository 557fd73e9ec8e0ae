import type { FastifyInstance } from 'fastify'
import { type Config, isLocal } from '../config/config.ts'
import { ApiError } from './errors.ts'
import { headerValues } from './header-values.ts'

/** Addresses that a health check may ask by any name; their answers are the same for everyone. */
const HEALTH_CHECKS = new Set(['/healthz', '/readyz', '/api/auth/ok'])

/**
 * Refuses requests without one Host (RFC 9112, section 3.2). On localhost it must be BASE_URL's: a page of another site can
 * make its own name resolve to this machine (DNS rebinding), and a browser then takes the service for that site.
 */
export function checkHosts(app: FastifyInstance, { baseUrl }: Config): void {
  const { host, port } = new URL(baseUrl)
  const own = isLocal(baseUrl) ? new Set([host, `${host}${port === '' ? ':80' : ''}`]) : undefined

  app.addHook('onRequest', (request, _reply, done) => {
    const named = request.headers.host
    if (named === undefined && request.raw.httpVersion === '1.1') {
      throw new ApiError('MALFORMED_REQUEST', { message: 'The request has no Host header.' })
    }
    if (own === undefined || HEALTH_CHECKS.has(request.routeOptions.url ?? '')) return done()
    const isOwn = named !== undefined && own.has(named.toLowerCase())
    if (!isOwn || headerValues(request, 'host').length > 1) throw new ApiError('MISDIRECTED_REQUEST')
    done()
  })
}
