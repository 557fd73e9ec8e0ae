import { parse, stringify } from 'node:querystring'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listSessionTokens } from '../../../core/access/caller.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { waitInRequest } from '../../../core/limits/wait-in-request.ts'
import { isUnavailable } from '../../../platform/database/unavailable.ts'
import { createConnectionCheck } from '../../../platform/http/connection-check.ts'
import { type Cookies, cookiePairs, SESSION_COOKIE } from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { describeRequest } from '../../../platform/http/request-log.ts'
import { disguiseJwt } from '../adapters/access-token-adapter.ts'
import { type RequestState, runWithState } from '../common/request-state.ts'
import { endSession } from './end-session.ts'
import { dispatchInMemory, type MemoryRequest, type ProviderResponse } from './memory-http.ts'
import type { Providers } from './provider.ts'

/** Other headers are dropped: x-forwarded-host, for example, would change the addresses in the library's responses. */
const PASSED_HEADERS = [
  'accept',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'content-type',
  'dpop',
  'origin',
  'sec-fetch-dest',
]
/** This cookie of the library is dropped: our pages get the id of the interaction in their address. */
const PAGE_COOKIE = /^openid-interaction=/
const OWN_SESSION = /^openid-session=/
/** Headers that Fastify sets itself. */
const CONNECTION_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])
/**
 * A request target may name a host (RFC 9112, section 3.2.2). With this host, the library would accept client
 * assertions and DPoP proofs for another server.
 */
const HOST_OF_TARGET = /^https?:\/\/[^/?]*/i
/** NUL is refused: PostgreSQL can't store it, and no parameter may contain it (RFC 6749, appendix A). */
const NUL = /%00|\0/
const SECONDS_UNTIL_RETRY = 2

export type PassToProvider = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The library gets the session of the caller, regardless of its own cookie. */
export function createPassToProvider(context: Context, cookies: Cookies, providers: Providers): PassToProvider {
  return async (request, reply) => {
    if (hasNul(request)) return refuseNul(request, reply)
    const state: RequestState = {
      caller: request.caller,
      actor: actorOf(request),
      arrivedAt: context.now(),
      subjects: new Map(),
      waitForTurn: (wait) => waitInRequest(request, reply, wait),
      assertConnected: createConnectionCheck(request),
    }
    try {
      const response = await runWithState(state, () => responseOf(context, request, providers)).catch(
        (failure: unknown) => {
          state.failure = failure
        },
      )
      if (!response || state.failure !== undefined) return refuse(request, reply, state.failure)
      // The library leaves OPTIONS that is no preflight to Koa, whose text has neither code nor message.
      if (response.statusCode === 404) throw new ApiError('NOT_FOUND')
      await state.settle?.()
      if (state.logOut) await endSession(context, state, listSessionTokens(request, cookies))
      if (state.logOut?.isSignedOut) cookies.clear(reply, SESSION_COOKIE)
      return send(reply, response, request.caller ? [PAGE_COOKIE, OWN_SESSION] : [PAGE_COOKIE])
    } finally {
      state.endTurn?.()
    }
  }
}

async function responseOf(context: Context, request: FastifyRequest, providers: Providers): Promise<ProviderResponse> {
  const { dispatch } = await providers.getProvider()
  return dispatchInMemory(dispatch, toMemoryRequest(context, request))
}

function toMemoryRequest({ config }: Context, request: FastifyRequest): MemoryRequest {
  const { method, raw, body } = request
  const { host, protocol } = new URL(config.baseUrl)
  const headers: MemoryRequest['headers'] = { host, 'x-forwarded-proto': protocol.slice(0, -1) }
  for (const name of PASSED_HEADERS)
    if (request.headers[name] !== undefined) headers[name] = String(request.headers[name])
  const cookie = cookieFor(request, request.headers.cookie)
  if (cookie !== undefined) headers.cookie = cookie
  // The library would look for our own origin among those of the client.
  if (headers.origin === config.baseUrl) delete headers.origin
  return {
    // Fastify needs the body for the length in the response to HEAD, and does not send it (RFC 9110, section 8.6).
    method: method === 'HEAD' ? 'GET' : method,
    url: (raw.url ?? '/').replace(HOST_OF_TARGET, ''),
    headers,
    // The library refuses JSON, by its type. JSON.stringify would overflow the stack with deep nesting.
    body: typeof body === 'string' ? withDisguisedToken(body) : undefined,
  }
}

/** The library's session cookie is replaced by the caller's session, so that it never outlives ours. */
function cookieFor({ caller }: FastifyRequest, cookie = ''): string | undefined {
  const others = cookiePairs(cookie).filter((pair) => pair.startsWith('openid-') && !(caller && OWN_SESSION.test(pair)))
  const all = caller ? [`openid-session=${caller.session.id}`, ...others] : others
  return all.length > 0 ? all.join('; ') : undefined
}

/** The library looks up no JWT, and our access tokens are JWTs. It refuses a repeated parameter. */
function withDisguisedToken(form: string): string {
  const parameters = parse(form)
  const { token } = parameters
  return typeof token === 'string' ? stringify({ ...parameters, token: disguiseJwt(token) }) : form
}

function send(reply: FastifyReply, { statusCode, headers, body }: ProviderResponse, dropped: RegExp[]): FastifyReply {
  for (const [name, value] of headers) {
    if (CONNECTION_HEADERS.has(name)) continue
    if (name !== 'set-cookie') reply.header(name, value)
    else
      for (const cookie of [value].flat())
        if (!dropped.some((pattern) => pattern.test(String(cookie)))) reply.header(name, cookie)
  }
  return reply.code(statusCode).send(body)
}

function hasNul({ raw, body }: FastifyRequest): boolean {
  return NUL.test(raw.url ?? '') || (typeof body === 'string' && NUL.test(body))
}

function refuseNul({ method }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = 'A parameter must not contain the character NUL.'
  if (method === 'GET') throw new ApiError('VALIDATION_ERROR', { message })
  return reply.code(400).send({ error: 'invalid_request', error_description: message })
}

/** Answers 503 in the form of RFC 6749, section 5.2, while the database is unavailable. Throws every other failure. */
function refuse(request: FastifyRequest, reply: FastifyReply, failure: unknown): FastifyReply {
  if (failure instanceof ApiError || !isUnavailable(failure) || request.method === 'GET') throw failure
  request.log.error({ ...describeRequest(request), err: failure }, 'request failed')
  return reply.code(503).header('retry-after', SECONDS_UNTIL_RETRY).send({
    error: 'temporarily_unavailable',
    error_description: "The service can't answer now. Repeat the request in a moment.",
  })
}
