import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../core/context.ts'
import type { Config } from '../../../platform/config/config.ts'
import { isToken, newToken } from '../../../platform/crypto/tokens.ts'
import { type Cookies, PASSKEY_COOKIE } from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import {
  bindingOfBrowser,
  bindingOfClient,
  bindingOfSession,
  CHALLENGE_MILLISECONDS,
  type ChallengeBinding,
} from './challenge.ts'

/** Several tabs of a browser share the cookie. A client without cookies must send `binding` back. */
export function createBindings(
  context: Context,
  cookies: Cookies,
  request: FastifyRequest,
  reply: FastifyReply,
): { binding: string; bindings: ChallengeBinding[] } {
  const known = cookies.read(request, PASSKEY_COOKIE)
  const browserToken = known !== undefined && isToken(known) ? known : newToken(context)
  cookies.set(reply, PASSKEY_COOKIE, browserToken, CHALLENGE_MILLISECONDS / 1000)
  const binding = newToken(context)
  return { binding, bindings: [bindingOfBrowser(browserToken), bindingOfClient(binding)] }
}

/** A `binding` of another site could sign a victim in to the attacker's account. @throws ApiError INVALID_ORIGIN */
export function listBindings(
  config: Config,
  cookies: Cookies,
  request: FastifyRequest,
  binding: string | undefined,
): ChallengeBinding[] {
  if (binding !== undefined && isCrossSite(config, request)) throw new ApiError('INVALID_ORIGIN')
  const browserToken = cookies.read(request, PASSKEY_COOKIE)
  return [
    ...(request.caller ? [bindingOfSession(request.caller.session)] : []),
    ...(browserToken === undefined ? [] : [bindingOfBrowser(browserToken)]),
    ...(binding === undefined ? [] : [bindingOfClient(binding)]),
  ]
}

/** Browsers send the origin with every POST. Clients that are not browsers send none. */
function isCrossSite({ baseUrl }: Config, { headers }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return (origin !== undefined && origin !== baseUrl) || (site !== undefined && site !== 'same-origin')
}
