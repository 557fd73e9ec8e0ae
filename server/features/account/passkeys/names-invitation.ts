import type { FastifyRequest } from 'fastify'
import { type Cookies, INVITATION_COOKIE } from '../../../platform/http/cookies.ts'
import { SIGN_UP } from './schemas.ts'

/**
 * Whether a request to register a passkey names an invitation, a valid one or not: by the browser's cookie, or, without
 * cookies, by the options' `context` and then by the `binding` of the ceremony.
 */
export function namesInvitation(cookies: Cookies, request: FastifyRequest): boolean {
  const { context } = request.query as { context?: string }
  const { binding } = (request.body ?? {}) as { binding?: unknown }
  const isContextReference = context !== undefined && context !== SIGN_UP
  return cookies.read(request, INVITATION_COOKIE) !== undefined || isContextReference || binding !== undefined
}
