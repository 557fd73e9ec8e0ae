import type { FastifyInstance, FastifyRequest } from 'fastify'
import { COOKIE_NAMES, type Cookies } from '../../platform/http/cookies.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Origins } from './origins.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Browsers send cookies with the forms of any site (CVE-2023-34927). A request without cookies needs no check. */
export function checkOrigins(app: FastifyInstance, origins: Origins, cookies: Cookies): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (SAFE_METHODS.has(request.method) || !carriesCookie(request, cookies) || isAllowed(request, origins))
      return done()
    done(new ApiError('INVALID_ORIGIN'))
  })
}

/** A route may use any of several values of a cookie, so a useless first value must not skip the check. */
function carriesCookie(request: FastifyRequest, cookies: Cookies): boolean {
  return COOKIE_NAMES.some(
    (name) =>
      // `read` also accepts a space after the name, as the parser of the routes does.
      cookies.read(request, name) !== undefined || cookies.readAll(request, name).some((value) => value !== ''),
  )
}

function isAllowed({ headers, routeOptions }: FastifyRequest, origins: Origins): boolean {
  if (routeOptions.config.otherOrigins === 'decided by client') return true
  if (headers.origin !== undefined) return origins.mayCall(headers.origin, routeOptions.config)
  return headers['sec-fetch-site'] === 'same-origin'
}
