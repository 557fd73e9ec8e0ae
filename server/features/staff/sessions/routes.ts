import { requireCaller, requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { toListedSession } from '../../../core/sessions/wire.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, SuccessResponse } from '../../../platform/http/schemas.ts'
import { RevokeUserSessionBody, SessionsResponse, UserIdBody } from './schemas.ts'
import { listUserSessions, revokeUserSession, revokeUserSessions } from './user-sessions.ts'

export function registerStaffSessionRoutes(app: HttpApp, context: Context): void {
  app.post(
    '/api/auth/admin/list-user-sessions',
    {
      config: { access: { staff: 'session.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the sessions of a user; `token` is a handle, or the token of your own session',
        body: UserIdBody,
        response: responses(SessionsResponse, ...MANAGED_USER_ERRORS),
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      const sessions = await listUserSessions(context, caller, request.body.userId)
      const tokenOf = (id: string) => (id === caller.session.id ? caller.token : id)
      return { sessions: sessions.map((session) => toListedSession(session, tokenOf(session.id))) }
    },
  )

  app.post(
    '/api/auth/admin/revoke-user-session',
    {
      config: { access: { staff: 'session.revoke' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Revoke one session of a user, by its handle or token',
        body: RevokeUserSessionBody,
        response: responses(SuccessResponse, ...MANAGED_USER_ERRORS, 'SESSION_NOT_FOUND'),
      },
    },
    async (request) => {
      await revokeUserSession(context, actorOf(request), requireStaff(request), request.body.sessionToken)
      return { success: true }
    },
  )

  app.post(
    '/api/auth/admin/revoke-user-sessions',
    {
      config: { access: { staff: 'session.revoke' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Revoke all sessions of a user',
        body: UserIdBody,
        response: responses(SuccessResponse, ...MANAGED_USER_ERRORS),
      },
    },
    async (request) => {
      await revokeUserSessions(context, actorOf(request), requireStaff(request), request.body.userId)
      return { success: true }
    },
  )
}
