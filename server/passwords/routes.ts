import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { deviceOf } from '../devices/device.ts'
import { callerOf } from '../http/access.ts'
import type { Cookies } from '../http/cookies.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { answers, StatusAnswer } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { presentSession } from '../sessions/present-session.ts'
import { toBasicUser } from '../users/wire.ts'
import { changePassword } from './change-password.ts'
import { ChangePasswordBody, NEW_PASSWORD_ERRORS, SignUpAnswer, VerifyPasswordBody } from './schemas.ts'
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
