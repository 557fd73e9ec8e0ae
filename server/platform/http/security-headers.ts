import type { Config } from '../config/config.ts'
import type { App } from './typed-app.ts'

/** Nothing runs, loads or frames but what we serve ourselves; no script or style stands in a page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  // Other origins read our answers by CORS; who may is said there.
  'cross-origin-resource-policy': 'same-site',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // For browsers that do not know frame-ancestors.
  'x-frame-options': 'DENY',
}

/** The headers of every response, errors included. A table: the library for it computes the same lines for each request. */
export function securityHeaders({ baseUrl }: Config): Record<string, string> {
  const isSecure = baseUrl.startsWith('https:')
  return isSecure ? { ...HEADERS, 'strict-transport-security': `max-age=${365 * 86_400}` } : HEADERS
}

export function setSecurityHeaders(app: App, headers: Record<string, string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers)
    // What depends on who asks is for nobody else. A public route says itself how long its answer may be kept.
    if (request.routeOptions.config.access !== 'public') reply.header('cache-control', 'no-store')
    done()
  })
}
