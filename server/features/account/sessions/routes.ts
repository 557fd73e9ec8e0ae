import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireCaller } from '../../../core/access/access.ts'
import { listSessionTokens } from '../../../core/access/caller.ts'
import type { Origins } from '../../../core/access/origins.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { revokeOwnSession, revokeOwnSessions, revokeSessionsOfTokens } from '../../../core/sessions/revoke-session.ts'
import { listLiveSessions } from '../../../core/sessions/store.ts'
import { toListedSession, toSession } from '../../../core/sessions/wire.ts'
import { type Cookies, SESSION_COOKIE } from '../../../platform/http/cookies.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { NoFields, responses, StatusResponse } from '../../../platform/http/schemas.ts'
import {
  GetSessionQuery,
  GetSessionResponse,
  RevokeSessionBody,
  SessionList,
  SignOutResponse,
  UpdateSessionBody,
  UpdateSessionResponse,
} from './schemas.ts'
import { sessionJson, sessionJsonWithoutToken } from './session-json.ts'
import { updateSession } from './update-session.ts'

export function registerSessionRoutes(app: HttpApp, context: Context, cookies: Cookies, origins: Origins): void {
  const getSession = ({ caller, headers }: FastifyRequest, reply: FastifyReply) => {
    reply.type('application/json; charset=utf-8')
    if (!caller) return 'null'
    const isTrusted = headers.origin === undefined || origins.isTrusted(headers.origin)
    return (isTrusted ? sessionJson : sessionJsonWithoutToken)(caller, context.now())
  }

  app.get(
    '/api/auth/get-session',
    {
      config: {
        access: 'anyone',
        rateLimit: 'none',
        impersonated: 'allowed',
        otherOrigins: 'allowed',
        honorsDisableRefresh: true,
      },
      schema: {
        summary: 'Get the session and its user; null without a session',
        querystring: GetSessionQuery,
        response: responses(GetSessionResponse),
      },
    },
    getSession,
  )

  app.post(
    '/api/auth/get-session',
    {
      config: { access: 'anyone', rateLimit: 'none', impersonated: 'allowed', honorsDisableRefresh: true },
      schema: {
        summary: 'Get the session and its user; null without a session',
        body: NoFields,
        querystring: GetSessionQuery,
        response: responses(GetSessionResponse),
      },
    },
    getSession,
  )

  app.post(
    '/api/auth/sign-out',
    {
      config: {
        access: 'anyone',
        rateLimit: 'change',
        impersonated: 'allowed',
        otherOrigins: 'allowed',
        credentials: 'may disagree',
      },
      schema: { summary: 'Sign out: revoke the session', body: NoFields, response: responses(SignOutResponse) },
    },
    async (request, reply) => {
      if (request.caller) await revokeSessionsOfTokens(context, actorOf(request), listSessionTokens(request, cookies))
      cookies.clear(reply, SESSION_COOKIE)
      return { success: true, url: null, redirect: false }
    },
  )

  app.get(
    '/api/auth/list-sessions',
    {
      config: { access: 'session', rateLimit: 'list', impersonated: 'refused' },
      schema: {
        summary: "List the caller's sessions; `token` of every other session is a handle, which does not authenticate",
        response: responses(SessionList),
      },
    },
    async (request) => {
      const { user, session, token } = requireCaller(request)
      const rows = await listLiveSessions(context.database, user.id, context.now(), { impersonated: false })
      return rows.map((row) => toListedSession(row, row.id === session.id ? token : row.id))
    },
  )

  app.post(
    '/api/auth/revoke-session',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Revoke one of the caller's sessions",
        body: RevokeSessionBody,
        response: responses(StatusResponse, 'SESSION_NOT_FOUND'),
      },
    },
    async (request) => {
      await revokeOwnSession(context, actorOf(request), requireCaller(request), request.body.token)
      return { status: true }
    },
  )

  for (const { url, summary, exceptCurrent } of [
    { url: '/api/auth/revoke-sessions', summary: "Revoke all of the caller's sessions", exceptCurrent: false },
    {
      url: '/api/auth/revoke-other-sessions',
      summary: "Revoke the caller's other sessions",
      exceptCurrent: true,
    },
  ]) {
    app.post(
      url,
      {
        config: { access: 'session', rateLimit: 'change', impersonated: 'refused' },
        schema: { summary, body: NoFields, response: responses(StatusResponse) },
      },
      async (request, reply) => {
        const caller = requireCaller(request)
        await revokeOwnSessions(context, actorOf(request), caller, exceptCurrent ? caller.session.id : null)
        if (!exceptCurrent) cookies.clear(reply, SESSION_COOKIE)
        return { status: true }
      },
    )
  }

  app.post(
    '/api/auth/update-session',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Store properties of the session, or set its active organization',
        body: UpdateSessionBody,
        response: responses(UpdateSessionResponse, 'FIELD_NOT_ALLOWED', 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      return { session: toSession(await updateSession(context, actorOf(request), caller, request.body), caller.token) }
    },
  )
}
