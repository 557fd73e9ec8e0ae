import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../core/context.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { type Cookies, PASSKEY_COOKIE } from '../../../platform/http/cookies.ts'
import { CHALLENGE_MILLISECONDS, type Place, placeOfBrowser } from './challenge.ts'

/** The browser as a place, by the cookie that it has or gets now: two open tabs share one. */
export function markBrowser(context: Context, cookies: Cookies, request: FastifyRequest, reply: FastifyReply): Place {
  const known = cookies.read(request, PASSKEY_COOKIE)
  const token = known !== undefined && /^[A-Za-z0-9_-]{43}$/.test(known) ? known : newToken(context)
  cookies.set(reply, PASSKEY_COOKIE, token, CHALLENGE_MILLISECONDS / 1000)
  return placeOfBrowser(token)
}

export function findBrowser(cookies: Cookies, request: FastifyRequest): Place | undefined {
  const token = cookies.read(request, PASSKEY_COOKIE)
  return token === undefined ? undefined : placeOfBrowser(token)
}
