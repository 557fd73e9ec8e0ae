import { callerOf } from '../../../core/access/access.ts'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import { presentSession } from '../../../core/sessions/present-session.ts'
import { SignUpAnswer } from '../../../core/users/schemas.ts'
import { toBasicUser } from '../../../core/users/wire.ts'
import type { Cookies } from '../../../platform/http/cookies.ts'
import { answers, StatusAnswer } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { changePassword } from './change-password.ts'
import { ChangePasswordBody, VerifyPasswordBody } from './schemas.ts'
import { verifyPassword } from './verify-password.ts'

/** Changing one's password, and proving that one knows it. */
export function registerPasswordRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.post(
    '/api/auth/change-password',
    {
      config: { access: 'session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Change the password; every other session ends, and this one gets a new token',
        body: ChangePasswordBody,
        response: answers(SignUpAnswer, 'INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND', ...NEW_PASSWORD_ERRORS),
      },
    },
    async (request, reply) => {
      const { currentPassword, newPassword } = request.body
      const caller = callerOf(request)
      const started = await changePassword(context, rateLimits, actorOf(request), caller, {
        currentPassword,
        newPassword,
        device: deviceOf(request, cookies),
      })
      presentSession(reply, cookies, started)
      return { token: started.token, user: toBasicUser(caller.user) }
    },
  )

  app.post(
    '/api/auth/verify-password',
    {
      config: { access: 'session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary:
          'Prove to know the password; the session is fresh again, and gets a new token (set-auth-token, cookie)',
        body: VerifyPasswordBody,
        response: answers(StatusAnswer, 'INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND', 'PASSWORD_TOO_LONG'),
      },
    },
    async (request, reply) => {
      const { password } = request.body
      const rotated = await verifyPassword(context, rateLimits, actorOf(request), callerOf(request), password)
      presentSession(reply, cookies, rotated)
      return { status: true }
    },
  )
}
