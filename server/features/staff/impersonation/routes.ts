import { requireCaller, requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { SessionAndUser } from '../../../core/sessions/schemas.ts'
import { sendSessionToken } from '../../../core/sessions/send-session-token.ts'
import { toSessionAndUser } from '../../../core/sessions/wire.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import type { Cookies } from '../../../platform/http/cookies.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { NoFields, responses } from '../../../platform/http/schemas.ts'
import { impersonateUser, stopImpersonating } from './impersonate-user.ts'
import { listImpersonations } from './list-impersonations.ts'
import { ImpersonateUserBody, ImpersonationList, StopImpersonatingResponse } from './schemas.ts'

export function registerImpersonationRoutes(app: HttpApp, context: Context, cookies: Cookies): void {
  app.post(
    '/api/auth/admin/impersonate-user',
    {
      config: { access: { staff: 'user.impersonate', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Impersonate a user, for an hour at most',
        body: ImpersonateUserBody,
        response: responses(SessionAndUser, ...MANAGED_USER_ERRORS, 'YOU_CANNOT_IMPERSONATE_ADMINS', 'BANNED_USER'),
      },
    },
    async (request, reply) => {
      const started = await impersonateUser(context, actorOf(request), requireStaff(request), request.body)
      sendSessionToken(reply, cookies, started)
      return toSessionAndUser(started, context.now())
    },
  )

  app.post(
    '/api/auth/admin/stop-impersonating',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: "Revoke the impersonated session and return to the impersonator's own session",
        body: NoFields,
        response: responses(StopImpersonatingResponse, 'NOT_IMPERSONATING'),
      },
    },
    async (request, reply) => {
      const own = await stopImpersonating(context, actorOf(request), requireCaller(request))
      sendSessionToken(reply, cookies, own)
      return { message: 'The impersonation has ended.', ...toSessionAndUser(own, context.now()) }
    },
  )

  app.get(
    '/api/auth/list-impersonations',
    {
      config: { access: 'session', rateLimit: 'slow list', impersonated: 'refused' },
      schema: {
        summary: 'List the impersonations of the caller: by which staff, and when',
        response: responses(ImpersonationList),
      },
    },
    async (request) => listImpersonations(context, requireCaller(request).user.id),
  )
}
