import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, isToken } from '../../platform/crypto/tokens.ts'
import { type Cookies, DEVICE_COOKIE } from '../../platform/http/cookies.ts'
import { DAY_MILLISECONDS } from '../../platform/time/time-units.ts'

/** The cookie grants a password budget of its own. Until all sessions are revoked, a sign-in with it sends no email. */
export interface Device {
  /** The hash of the cookie; undefined without a cookie. */
  hash: string | undefined
  isBrowser: boolean
}

/** Browsers cap the lifetime of cookies at 400 days (RFC 6265bis, section 5.5). */
export const DEVICE_MILLISECONDS = 400 * DAY_MILLISECONDS

export function deviceOf(request: FastifyRequest, cookies: Cookies): Device {
  const token = cookies.read(request, DEVICE_COOKIE)
  const { origin, 'sec-fetch-site': site } = request.headers
  return {
    hash: token !== undefined && isToken(token) ? hashToken(token) : undefined,
    isBrowser: origin !== undefined || site !== undefined,
  }
}

/** @param token undefined when the client has a valid cookie */
export function setDeviceCookie(
  reply: FastifyReply,
  cookies: Cookies,
  token: string | undefined,
  rememberMe: boolean,
): void {
  if (token === undefined) return
  cookies.set(reply, DEVICE_COOKIE, token, rememberMe ? DEVICE_MILLISECONDS / 1000 : undefined)
}
