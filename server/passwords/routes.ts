import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { deviceOf, presentDevice } from '../devices/device.ts'
import { callerOf } from '../http/access.ts'
import { parseCallbackUrl } from '../http/callback-url.ts'
import type { Cookies } from '../http/cookies.ts'
import { ApiError } from '../http/errors.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { answers, errorAnswers, redirectAnswer, StatusAnswer } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { findOpenToken } from '../secrets/single-use-tokens.ts'
import { presentSession } from '../sessions/present-session.ts'
import { toBasicUser } from '../users/wire.ts'
import { changePassword } from './change-password.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { resetPassword } from './reset-password.ts'
import {
  ChangePasswordBody,
  NEW_PASSWORD_ERRORS,
  RequestResetAnswer,
  RequestResetBody,
  ResetLinkAnswer,
  ResetLinkParameters,
  ResetLinkQuery,
  ResetPasswordBody,
  ResetPasswordQuery,
  SignUpAnswer,
  VerifyPasswordBody,
} from './schemas.ts'
import { verifyPassword } from './verify-password.ts'

/** Changing one's password, proving that one knows it, and setting it anew by a mailed link. */
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

  app.post(
    '/api/auth/request-password-reset',
    {
      config: { access: 'anyone', rateLimit: 'mail', impersonated: 'refused' },
      schema: {
        summary: 'Have a link mailed to set a new password',
        body: RequestResetBody,
        response: answers(RequestResetAnswer, 'INVALID_EMAIL', 'INVALID_CALLBACK_URL'),
      },
    },
    async (request) => {
      const { email, redirectTo } = request.body
      if (redirectTo !== undefined) parseCallbackUrl(context.config, redirectTo, 'redirectTo')
      await requestPasswordReset(context, actorOf(request), {
        email,
        ...(redirectTo !== undefined && { redirectTo }),
      })
      return { status: true, message: 'If there is an account with this address, a letter is on its way.' }
    },
  )

  app.get(
    '/api/auth/reset-password/:token',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'allowed' },
      schema: {
        summary: 'The mailed link for other sites: on to callbackURL with the token; nothing is used up',
        params: ResetLinkParameters,
        querystring: ResetLinkQuery,
        response: {
          ...errorAnswers(['INVALID_CALLBACK_URL']),
          ...redirectAnswer('callbackURL with `token`; with `error` instead when the link is refused', ResetLinkAnswer),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.params
      const callbackUrl = new URL(
        parseCallbackUrl(context.config, request.query.callbackURL, 'callbackURL'),
        context.config.baseUrl,
      )
      const isOpen = await findOpenToken(context.database, context.now(), 'reset password', token)
      if (!isOpen) await rateLimits.chargeWrongGuess(request, new ApiError('INVALID_TOKEN'))
      callbackUrl.searchParams.set(isOpen ? 'token' : 'error', isOpen ? token : 'INVALID_TOKEN')
      reply.code(302).header('location', callbackUrl.href).header('cache-control', 'no-store')
      return isOpen ? { token } : reply.send()
    },
  )

  app.post(
    '/api/auth/reset-password',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Set a new password with the token of a mailed link',
        body: ResetPasswordBody,
        querystring: ResetPasswordQuery,
        response: answers(StatusAnswer, 'INVALID_TOKEN', ...NEW_PASSWORD_ERRORS),
      },
    },
    async (request, reply) => {
      const token = request.body.token ?? request.query.token
      if (token === undefined) throw new ApiError('INVALID_TOKEN', { field: 'token' })
      const input = { token, newPassword: request.body.newPassword, device: deviceOf(request, cookies) }
      const newDeviceToken = await rateLimits.countGuess(request, () => resetPassword(context, actorOf(request), input))
      presentDevice(reply, cookies, newDeviceToken, true)
      return { status: true }
    },
  )
}
