import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { deviceOf, setDeviceCookie } from '../../../core/devices/device.ts'
import { SIGN_UP_INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { sendSessionToken } from '../../../core/sessions/send-session-token.ts'
import { findUsableToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from '../../../core/single-use-tokens/token-purposes.ts'
import { SignUpResponse } from '../../../core/users/schemas.ts'
import { toBasicUser, toUser } from '../../../core/users/wire.ts'
import {
  findAllowedCallbackUrl,
  parseCallbackUrl,
  parseOptionalCallbackUrl,
} from '../../../platform/http/callback-url.ts'
import {
  type Cookies,
  INVITATION_COOKIE,
  SESSION_COOKIE,
  TRUSTED_DEVICE_COOKIE,
  TWO_FACTOR_COOKIE,
} from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { errorResponses, redirectResponse, responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { changePassword } from './change-password.ts'
import { listPasskeysOfReset } from './list-passkeys-of-reset.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { resetPassword } from './reset-password.ts'
import {
  ChangePasswordBody,
  PasskeysOfReset,
  PasskeysOfResetBody,
  RequestResetBody,
  RequestResetResponse,
  ResetLinkParameters,
  ResetLinkQuery,
  ResetLinkResponse,
  ResetPasswordBody,
  ResetPasswordQuery,
  SignInBody,
  SignInResponse,
  SignUpBody,
  VerifyPasswordBody,
} from './schemas.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { verifyPassword } from './verify-password.ts'

export function registerPasswordRoutes(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.post(
    '/api/auth/sign-in/email',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'Sign in with a password',
        body: SignInBody,
        response: responses(
          SignInResponse,
          'INVALID_EMAIL',
          'PASSWORD_TOO_LONG',
          'INVALID_EMAIL_OR_PASSWORD',
          'BANNED_USER',
          'INVALID_CALLBACK_URL',
        ),
      },
    },
    async (request, reply) => {
      const { email, password, callbackURL, rememberMe = true } = request.body
      const url = callbackURL === undefined ? null : parseCallbackUrl(context.config, callbackURL, 'callbackURL')
      const formerToken = cookies.read(request, SESSION_COOKIE)
      const device = deviceOf(request, cookies)
      const trustTokens = [cookies.read(request, TRUSTED_DEVICE_COOKIE), request.body.trustDeviceToken]
      const attempt = {
        email,
        password,
        rememberMe,
        formerToken,
        formerChallengeToken: cookies.read(request, TWO_FACTOR_COOKIE),
        device,
        trustTokens: trustTokens.filter((token) => token !== undefined),
      }
      const started = await signIn(context, rateLimits, actorOf(request), attempt)
      if ('challengeToken' in started) {
        const { challengeToken, method } = started
        cookies.set(reply, TWO_FACTOR_COOKIE, challengeToken, SINGLE_USE_TOKEN_MILLISECONDS['second step'] / 1000)
        if (formerToken !== undefined) cookies.clear(reply, SESSION_COOKIE)
        const twoFactorMethods = method === undefined ? [] : [method]
        return { twoFactorRedirect: true, twoFactorMethods, twoFactorToken: challengeToken }
      }
      sendSessionToken(reply, cookies, started)
      return { redirect: url !== null, token: started.token, url, user: toUser(started.user, context.now()) }
    },
  )

  app.post(
    '/api/auth/sign-up/email',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'Sign up with a password, by invitation',
        body: SignUpBody,
        response: responses(
          SignUpResponse,
          'INVALID_EMAIL',
          ...SIGN_UP_INVITATION_ERRORS,
          ...NEW_PASSWORD_ERRORS,
          'USER_ALREADY_EXISTS',
          'INVALID_CALLBACK_URL',
        ),
      },
    },
    async (request, reply) => {
      const { callbackURL, invitation, rememberMe = true, ...fields } = request.body
      if (callbackURL !== undefined) parseCallbackUrl(context.config, callbackURL, 'callbackURL')
      const invitationReference = invitation ?? cookies.read(request, INVITATION_COOKIE)
      const device = deviceOf(request, cookies)
      const formerToken = cookies.read(request, SESSION_COOKIE)
      const input = { ...fields, rememberMe, invitationReference, formerToken, device }
      const started = await rateLimits.countGuess(request, () => signUp(context, actorOf(request), input))
      sendSessionToken(reply, cookies, started)
      return { token: started.token, user: toBasicUser(started.user) }
    },
  )

  app.post(
    '/api/auth/change-password',
    {
      config: { access: 'session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Change the password; every session is revoked, and the caller gets a new one',
        body: ChangePasswordBody,
        response: responses(SignUpResponse, 'INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND', ...NEW_PASSWORD_ERRORS),
      },
    },
    async (request, reply) => {
      const { currentPassword, newPassword } = request.body
      const caller = requireCaller(request)
      const started = await changePassword(context, rateLimits, actorOf(request), caller, {
        currentPassword,
        newPassword,
        device: deviceOf(request, cookies),
      })
      sendSessionToken(reply, cookies, started)
      return { token: started.token, user: toBasicUser(caller.user) }
    },
  )

  app.post(
    '/api/auth/verify-password',
    {
      config: { access: 'session', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Verify the password; the session becomes fresh and gets a new token (set-auth-token, cookie)',
        body: VerifyPasswordBody,
        response: responses(StatusResponse, 'INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND', 'PASSWORD_TOO_LONG'),
      },
    },
    async (request, reply) => {
      const { password } = request.body
      const rotated = await verifyPassword(context, rateLimits, actorOf(request), requireCaller(request), password)
      sendSessionToken(reply, cookies, rotated)
      return { status: true }
    },
  )

  app.post(
    '/api/auth/request-password-reset',
    {
      config: { access: 'anyone', rateLimit: 'mail', impersonated: 'refused' },
      schema: {
        summary: 'Send an email with a link to set a new password',
        body: RequestResetBody,
        response: responses(RequestResetResponse, 'INVALID_EMAIL', 'INVALID_CALLBACK_URL'),
      },
    },
    async (request) => {
      const { email, redirectTo } = request.body
      if (redirectTo !== undefined) parseCallbackUrl(context.config, redirectTo, 'redirectTo')
      await requestPasswordReset(context, actorOf(request), {
        email,
        ...(redirectTo !== undefined && { redirectTo }),
      })
      return { status: true, message: 'If an account has this email address, we have sent an email to it.' }
    },
  )

  app.get(
    '/api/auth/reset-password/:token',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'allowed' },
      schema: {
        summary: 'The link of the email for other sites: redirects to `redirectTo` with the token, which stays usable',
        params: ResetLinkParameters,
        querystring: ResetLinkQuery,
        response: {
          ...errorResponses(['INVALID_CALLBACK_URL']),
          ...redirectResponse(
            'callbackURL, or `redirectTo` of a usable token, or else /reset-password; with `token`, or with `error` when it is not usable',
            ResetLinkResponse,
          ),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.params
      const { config } = context
      const asked = parseOptionalCallbackUrl(config, request.query.callbackURL)
      const usableToken = await findUsableToken(context.database, context.now(), 'reset password', token)
      if (!usableToken) await rateLimits.chargeWrongGuess(request, new ApiError('INVALID_TOKEN'))
      const stored = findAllowedCallbackUrl(config, usableToken?.data.callbackUrl)
      const callbackUrl = new URL(asked.callbackUrl ?? stored ?? '/reset-password', config.baseUrl)
      callbackUrl.searchParams.set(usableToken ? 'token' : 'error', usableToken ? token : 'INVALID_TOKEN')
      reply.code(302).header('location', callbackUrl.href).header('cache-control', 'no-store')
      return usableToken ? { token } : reply.send()
    },
  )

  app.post(
    '/api/auth/reset-password',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Set a new password with the token of an email',
        body: ResetPasswordBody,
        querystring: ResetPasswordQuery,
        response: responses(StatusResponse, 'INVALID_TOKEN', ...NEW_PASSWORD_ERRORS),
      },
    },
    async (request, reply) => {
      const token = request.body.token ?? request.query.token
      if (token === undefined) throw new ApiError('INVALID_TOKEN', { field: 'token' })
      const { newPassword, removePasskeys: passkeyIdsToRemove = [], keepPasskeys: passkeyIdsToKeep } = request.body
      const input = { token, newPassword, passkeyIdsToRemove, passkeyIdsToKeep, device: deviceOf(request, cookies) }
      const newDeviceToken = await rateLimits.countGuess(request, () => resetPassword(context, actorOf(request), input))
      setDeviceCookie(reply, cookies, newDeviceToken, true)
      return { status: true }
    },
  )

  app.post(
    '/api/reset-password/passkeys',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'List the passkeys that remain when the password is reset with this token, which stays usable',
        body: PasskeysOfResetBody,
        response: responses(PasskeysOfReset, 'INVALID_TOKEN'),
      },
    },
    async (request) => {
      const { token } = request.body
      return rateLimits.countGuess(request, () => listPasskeysOfReset(context, token))
    },
  )
}
