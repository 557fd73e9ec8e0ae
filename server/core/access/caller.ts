import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { SessionRow, UserRow } from '../../platform/database/tables.ts'
import { type Cookies, SESSION_COOKIE } from '../../platform/http/cookies.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { headerValues } from '../../platform/http/header-values.ts'
import { accessRuleOf } from './access-rules.ts'

/** A live session, and its user, who is not banned. */
export interface AuthenticatedSession {
  session: SessionRow
  user: UserRow
}

export interface Caller extends AuthenticatedSession {
  token: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether `disableRefresh=true` in the query leaves the session's expiry as it is. */
    honorsDisableRefresh?: true
  }
  interface FastifyRequest {
    caller: Caller | null
    /** Whether the request has waited for its turn since it was authenticated. */
    hasWaited: boolean
  }
}

/** Each token costs a query, and a header has room for hundreds. */
const TOKENS_MAXIMUM = 4

/** @param isExtending whether the request may extend the session; true by default */
export type FindCaller = (token: string, isExtending?: boolean) => Promise<Caller | undefined>

/** Authenticates again after the body arrives and after a wait: a slow upload must not outlive a revoked session. */
export function authenticateCallers(app: FastifyInstance, cookies: Cookies, findCaller: FindCaller): void {
  const authenticate: onRequestHookHandler = (request, _reply, done) => {
    const { access, credentials } = request.routeOptions.config
    if (accessRuleOf(access).session === 'ignored') return done()
    const tokens = listSessionTokens(request, cookies)
    if (tokens.length > (credentials === 'may disagree' ? TOKENS_MAXIMUM : 1))
      throw new ApiError('CONFLICTING_CREDENTIALS')
    const found = listCallers(tokens, (token) => findCaller(token, isExtending(request)))
    app.finishBeforeClose(found.then((callers) => setCaller(request, callers)).then(() => done(), done))
  }

  app.decorateRequest('caller', null)
  app.decorateRequest('hasWaited', false)
  app.addHook('onRequest', authenticate)
  app.addHook('preHandler', function authenticateAgain(request, reply, done) {
    if (!isCheckedAgain(request)) return done()
    return authenticate.call(this, request, reply, done)
  })
}

function isExtending({ routeOptions, query }: FastifyRequest): boolean {
  const { disableRefresh } = query as { disableRefresh?: unknown }
  return routeOptions.config.honorsDisableRefresh !== true || disableRefresh !== 'true'
}

export function isCheckedAgain(request: FastifyRequest): boolean {
  return !isBodyless(request) || request.hasWaited
}

export function isBodyless({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

export function listSessionTokens(request: FastifyRequest, cookies: Cookies): string[] {
  const { authorization } = request.headers
  const ofCookies = cookies.readAll(request, SESSION_COOKIE)
  if (authorization === undefined) return ofCookies
  const sent = headerValues(request, 'authorization')
  // Of several authorization headers, a header with another scheme is a conflicting credential.
  const ofHeaders = sent.length > 1 ? sent.map((value) => bearerToken(value) ?? value) : [bearerToken(authorization)]
  return [...new Set([...ofHeaders, ...ofCookies])].filter((token) => token !== undefined)
}

/** A change in a session must not depend on the order of several tokens. @throws ApiError CONFLICTING_CREDENTIALS */
export function assertOneSessionToken(request: FastifyRequest, cookies: Cookies): void {
  if (listSessionTokens(request, cookies).length > 1) throw new ApiError('CONFLICTING_CREDENTIALS')
}

async function listCallers(tokens: string[], findCaller: FindCaller): Promise<Caller[]> {
  const callers = await Promise.all(tokens.map((token) => findCaller(token)))
  return callers.filter((caller) => caller !== undefined)
}

function setCaller(request: FastifyRequest, callers: Caller[]): void {
  assertNamedSession(request, callers)
  request.caller = callers[0] ?? null
}

/**
 * A page names the session that it was drawn for, because another tab may have replaced the cookie since. An API key or
 * an invitation does not replace the named session.
 */
function assertNamedSession({ headers, routeOptions }: FastifyRequest, callers: Caller[]): void {
  const sessionId = headers['x-session-id']
  if (sessionId === undefined) return
  if (callers.some(({ session }) => session.id !== sessionId)) throw new ApiError('SESSION_CHANGED')
  const isRequired = accessRuleOf(routeOptions.config.access).session === 'required'
  if (isRequired && callers.length === 0) throw new ApiError('UNAUTHORIZED')
}

/** The scheme's name is case-insensitive (RFC 9110, section 11.1). */
function bearerToken(authorization: string): string | undefined {
  const separator = authorization.indexOf(' ')
  if (authorization.slice(0, separator).toLowerCase() !== 'bearer') return undefined
  return authorization.slice(separator + 1).trim() || undefined
}
