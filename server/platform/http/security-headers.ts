import type { Config } from '../config/config.ts'
import type { HttpApp } from './http-app.ts'

export const CONTENT_SECURITY_POLICY = [
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
  // CORS decides which other origins may read a response.
  'cross-origin-resource-policy': 'same-site',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Browsers without frame-ancestors read this header.
  'x-frame-options': 'DENY',
}

/** The headers of every response, including errors. @fastify/helmet computes the same values for each request. */
export function securityHeaders({ baseUrl }: Config): Record<string, string> {
  const isSecure = baseUrl.startsWith('https:')
  return isSecure ? { ...HEADERS, 'strict-transport-security': `max-age=${365 * 86_400}` } : HEADERS
}

export function setSecurityHeaders(app: HttpApp, config: Config): void {
  const headers = securityHeaders(config)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
