import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { type Cookies, INVITATION_COOKIE, PASSKEY_COOKIE, SESSION_COOKIE } from './cookies.ts'
import { ApiError } from './errors.ts'

/** Whoever sends one of these acts as its holder; so another site must not be able to have it sent. */
const CREDENTIAL_COOKIES = [SESSION_COOKIE, INVITATION_COOKIE, PASSKEY_COOKIE] as const
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A request that changes something and carries a cookie must come from a page of ours or of an allowed origin: browsers
 * send the cookie whoever wrote the form. Without a cookie there is nothing to ride on.
 */
export function checkOrigins(app: FastifyInstance, config: Config, cookies: Cookies): void {
  const allowed = new Set([config.baseUrl, ...config.returnToOrigins])

  app.addHook('onRequest', (request, _reply, done) => {
    if (SAFE_METHODS.has(request.method) || !carriesCookie(request, cookies) || isAllowed(request, allowed))
      return done()
    done(new ApiError('INVALID_ORIGIN'))
  })
}

function carriesCookie(request: FastifyRequest, cookies: Cookies): boolean {
  return CREDENTIAL_COOKIES.some((name) => cookies.read(request, name) !== undefined)
}

function isAllowed({ headers }: FastifyRequest, allowed: Set<string>): boolean {
  if (headers.origin !== undefined) return allowed.has(headers.origin)
  return headers['sec-fetch-site'] === 'same-origin'
}
