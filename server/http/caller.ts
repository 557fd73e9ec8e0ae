import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SessionRow, UserRow } from '../database/tables.ts'
import { type Cookies, SESSION_COOKIE } from './cookies.ts'
import { ApiError } from './errors.ts'

/** Who is asking: a live session, and its user, who is not banned. */
export interface Caller {
  session: SessionRow
  user: UserRow
  /** The credential that the request carried. */
  token: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

export type FindCaller = (token: string) => Promise<Caller | null>

/** The first thing a request passes: its credential is looked up, once, and `request.caller` set. */
export function recogniseCallers(app: FastifyInstance, cookies: Cookies, findCaller: FindCaller): void {
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.access === 'public') return
    const token = credential(request, cookies)
    if (token !== undefined) request.caller = await findCaller(token)
  })
}

/** @throws ApiError CONFLICTING_CREDENTIALS when a bearer and a cookie name different sessions */
function credential(request: FastifyRequest, cookies: Cookies): string | undefined {
  const bearer = bearerToken(request.headers.authorization)
  const cookie = cookies.read(request, SESSION_COOKIE)
  if (bearer !== undefined && cookie !== undefined && bearer !== cookie) throw new ApiError('CONFLICTING_CREDENTIALS')
  return bearer ?? cookie
}

/** The scheme's name is case-insensitive (RFC 9110, section 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const separator = authorization.indexOf(' ')
  if (authorization.slice(0, separator).toLowerCase() !== 'bearer') return undefined
  return authorization.slice(separator + 1).trim() || undefined
}
