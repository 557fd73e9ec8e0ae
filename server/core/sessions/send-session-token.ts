import type { FastifyReply } from 'fastify'
import { type Cookies, SESSION_COOKIE, TWO_FACTOR_COOKIE } from '../../platform/http/cookies.ts'
import { setDeviceCookie } from '../devices/device.ts'
import { SESSION_MILLISECONDS_MAXIMUM } from './lifetimes.ts'
import type { NewSession } from './start-session.ts'

export function sendSessionToken(
  reply: FastifyReply,
  cookies: Cookies,
  { token, session, newDeviceToken }: NewSession,
): void {
  // The longest lifetime, so an extended session needs no new cookie. The session itself decides when it expires.
  const maxAgeSeconds = session.rememberMe === 1 ? SESSION_MILLISECONDS_MAXIMUM / 1000 : undefined
  cookies.set(reply, SESSION_COOKIE, token, maxAgeSeconds)
  // The sign-in is finished, or replaced by another sign-in.
  if (cookies.read(reply.request, TWO_FACTOR_COOKIE) !== undefined) cookies.clear(reply, TWO_FACTOR_COOKIE)
  setDeviceCookie(reply, cookies, newDeviceToken, session.rememberMe === 1)
  reply.header('set-auth-token', token)
}
