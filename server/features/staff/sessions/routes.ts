import { callerOf, staffOf } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { presentSession } from '../../../core/sessions/present-session.ts'
import { NoFields, SessionAndUser } from '../../../core/sessions/schemas.ts'
import { toSession, toSessionAndUser } from '../../../core/sessions/wire.ts'
import type { Cookies } from '../../../platform/http/cookies.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { impersonateUser, stopImpersonating } from '../impersonation/impersonate-user.ts'
import { listImpersonations } from '../impersonation/list-impersonations.ts'
import {
  ImpersonateUserBody,
  ImpersonationList,
  REFUSALS,
  RevokeUserSessionBody,
  SessionsAnswer,
  StopImpersonatingAnswer,
  SuccessAnswer,
  UserIdBody,
} from '../users/schemas.ts'
import { listUserSessions, revokeUserSession, revokeUserSessions } from './user-sessions.ts'

/** The sessions of people whom staff look after, and acting as one of them. */
export function registerStaffSessionRoutes(app: App, context: Context, cookies: Cookies): void {
  app.post(
    '/api/auth/admin/list-user-sessions',
    {
      config: { access: { staff: 'session.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "Somebody's sessions; in the place of each credential, a handle to end the session by",
        body: UserIdBody,
        response: answers(SessionsAnswer, ...REFUSALS),
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const sessions = await listUserSessions(context, caller, request.body.userId)
      const tokenOf = (id: string) => (id === caller.session.id ? caller.token : id)
      return { sessions: sessions.map((session) => toSession(session, tokenOf(session.id))) }
    },
  )

  app.post(
    '/api/auth/admin/revoke-user-session',
    {
      config: { access: { staff: 'session.revoke' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'End one session, by its handle',
        body: RevokeUserSessionBody,
        response: answers(SuccessAnswer, ...REFUSALS, 'SESSION_NOT_FOUND'),
      },
    },
    async (request) => {
      await revokeUserSession(context, actorOf(request), staffOf(request), request.body.sessionToken)
      return { success: true }
    },
  )

  app.post(
    '/api/auth/admin/revoke-user-sessions',
    {
      config: { access: { staff: 'session.revoke' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: "End all of somebody's sessions",
        body: UserIdBody,
        response: answers(SuccessAnswer, ...REFUSALS),
      },
    },
    async (request) => {
      await revokeUserSessions(context, actorOf(request), staffOf(request), request.body.userId)
      return { success: true }
    },
  )

  app.post(
    '/api/auth/admin/impersonate-user',
    {
      config: { access: { staff: 'user.impersonate', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Act as somebody for an hour at most',
        body: ImpersonateUserBody,
        response: answers(SessionAndUser, ...REFUSALS, 'YOU_CANNOT_IMPERSONATE_ADMINS', 'BANNED_USER'),
      },
    },
    async (request, reply) => {
      const started = await impersonateUser(context, actorOf(request), staffOf(request), request.body)
      presentSession(reply, cookies, started)
      return toSessionAndUser(started, context.now())
    },
  )

  app.post(
    '/api/auth/admin/stop-impersonating',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: "End the session that acts as somebody else, and get one's own back",
        body: NoFields,
        response: answers(StopImpersonatingAnswer, 'NOT_IMPERSONATING'),
      },
    },
    async (request, reply) => {
      const own = await stopImpersonating(context, actorOf(request), callerOf(request))
      presentSession(reply, cookies, own)
      return { message: 'You are yourself again.', ...toSessionAndUser(own, context.now()) }
    },
  )

  app.get(
    '/api/auth/list-impersonations',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Who of the staff acted as the caller, and when',
        response: answers(ImpersonationList),
      },
    },
    async (request) => listImpersonations(context, callerOf(request).user.id),
  )
}
