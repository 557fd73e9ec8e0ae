import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { deviceOf, presentDevice } from '../../../core/devices/device.ts'
import { findUsableToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { parseCallbackUrl } from '../../../platform/http/callback-url.ts'
import type { Cookies } from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { answers, errorAnswers, redirectAnswer, StatusAnswer } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { listPasskeysOfReset } from './list-passkeys-of-reset.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { resetPassword } from './reset-password.ts'
import {
  PasskeysOfReset,
  PasskeysOfResetBody,
  RequestResetAnswer,
  RequestResetBody,
  ResetLinkAnswer,
  ResetLinkParameters,
  ResetLinkQuery,
  ResetPasswordBody,
  ResetPasswordQuery,
} from './schemas.ts'

/** Setting a password by a mailed link. */
export function registerResetRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
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
      const isOpen = await findUsableToken(context.database, context.now(), 'reset password', token)
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
      const { newPassword, removePasskeys: passkeyIdsToRemove = [] } = request.body
      const input = { token, newPassword, passkeyIdsToRemove, device: deviceOf(request, cookies) }
      const newDeviceToken = await rateLimits.countGuess(request, () => resetPassword(context, actorOf(request), input))
      presentDevice(reply, cookies, newDeviceToken, true)
      return { status: true }
    },
  )

  app.post(
    '/api/reset-password/passkeys',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'The passkeys that stay when the password is reset with this token, which is not used up',
        body: PasskeysOfResetBody,
        response: answers(PasskeysOfReset, 'INVALID_TOKEN'),
      },
    },
    async (request) => {
      const { token } = request.body
      return rateLimits.countGuess(request, () => listPasskeysOfReset(context, token))
    },
  )
}
