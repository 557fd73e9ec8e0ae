import type { FastifyRequest } from 'fastify'
import { type Cookies, INVITATION_COOKIE } from '../../../platform/http/cookies.ts'
import { SIGN_UP_CONTEXT } from './schemas.ts'

/** Browsers send a cookie. Other clients send `context` for the options, then the `binding` of the ceremony. */
export function namesInvitation(cookies: Cookies, request: FastifyRequest): boolean {
  const { context } = request.query as { context?: string }
  const { binding } = (request.body ?? {}) as { binding?: unknown }
  const isContextReference = context !== undefined && context !== SIGN_UP_CONTEXT
  return cookies.read(request, INVITATION_COOKIE) !== undefined || isContextReference || binding !== undefined
}
