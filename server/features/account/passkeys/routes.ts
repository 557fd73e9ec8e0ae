import type { FastifyRequest } from 'fastify'
import { requireCaller } from '../../../core/access/access.ts'
import { assertOneSessionToken, type Caller } from '../../../core/access/caller.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import { SIGN_UP_INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { INVITATION_COOKIE_SECONDS, parseReference } from '../../../core/invitations/reference.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { SessionAndUser } from '../../../core/sessions/schemas.ts'
import { sendSessionToken } from '../../../core/sessions/send-session-token.ts'
import { toSessionAndUser } from '../../../core/sessions/wire.ts'
import {
  type Cookies,
  INVITATION_COOKIE,
  PASSKEY_COOKIE,
  SESSION_COOKIE,
  TWO_FACTOR_COOKIE,
} from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { bindingOfSession } from './challenge.ts'
import { createBindings, listBindings } from './challenge-bindings.ts'
import { deletePasskey } from './delete-passkey.ts'
import { renamePasskey } from './rename-passkey.ts'
import {
  AddPasskeyResponse,
  AuthenticateOptions,
  AuthenticateOptionsQuery,
  CEREMONY_ERRORS,
  PasskeyIdBody,
  PasskeyList,
  PasskeyResponse,
  RegisterOptions,
  RegisterOptionsQuery,
  RenameBody,
  SIGN_UP_CONTEXT,
  VerifyAuthenticationBody,
  VerifyRegistrationBody,
} from './schemas.ts'
import { startSignIn } from './start-sign-in.ts'
import { toPasskey } from './wire.ts'

const OF_REGISTRATION = {
  access: 'fresh session or invitation',
  impersonated: 'refused',
  credentials: 'may disagree',
} as const

export function registerPasskeyRoutes(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  function callerOfRegistration(request: FastifyRequest): Caller {
    const caller = requireCaller(request)
    assertOneSessionToken(request, cookies)
    return caller
  }

  app.get(
    '/api/auth/passkey/generate-register-options',
    {
      exposeHeadRoute: false,
      config: { ...OF_REGISTRATION, rateLimit: 'change' },
      schema: {
        summary: 'Get the options to create a passkey',
        querystring: RegisterOptionsQuery,
        response: responses(
          RegisterOptions,
          ...SIGN_UP_INVITATION_ERRORS,
          'USER_ALREADY_EXISTS',
          'TWO_FACTOR_REQUIRED',
        ),
      },
    },
    async (request, reply) => {
      const { startRegistration, startSignUp } = await import('./ceremonies.ts')
      const { authenticatorAttachment: attachment, name, context: purpose, expectedEmail } = request.query
      if (purpose === undefined) return startRegistration(context, callerOfRegistration(request), { attachment, name })
      if (request.caller) throw alreadySignedIn()
      const text = purpose === SIGN_UP_CONTEXT ? (cookies.read(request, INVITATION_COOKIE) ?? '') : purpose
      const { binding, bindings } = createBindings(context, cookies, request, reply)
      const invitation = parseReference(text)
      const options = await rateLimits.countGuess(request, () =>
        startSignUp(context, { name, expectedEmail, attachment, invitation, bindings }),
      )
      // The link of the invitation sets the same cookie. verify-registration and accept-invitation read it.
      cookies.set(reply, INVITATION_COOKIE, text, INVITATION_COOKIE_SECONDS)
      return { ...options, binding }
    },
  )

  app.post(
    '/api/auth/passkey/verify-registration',
    {
      config: { ...OF_REGISTRATION, rateLimit: 'guess' },
      schema: {
        summary: 'Store the passkey that the browser created',
        body: VerifyRegistrationBody,
        response: responses(
          AddPasskeyResponse,
          ...CEREMONY_ERRORS,
          'FAILED_TO_VERIFY_REGISTRATION',
          'PREVIOUSLY_REGISTERED',
          'PASSKEY_LIMIT_REACHED',
          'TWO_FACTOR_REQUIRED',
          ...SIGN_UP_INVITATION_ERRORS,
          'USER_ALREADY_EXISTS',
        ),
      },
    },
    async (request, reply) => {
      const { addPasskey, signUpWithPasskey } = await import('./ceremonies.ts')
      const { body } = request
      const { response, name } = body
      if (request.caller) {
        const caller = callerOfRegistration(request)
        const passkey = await rateLimits.countGuess(request, () =>
          addPasskey(context, actorOf(request), caller, { response, name }),
        )
        return { ...toPasskey(passkey), ...toSessionAndUser(caller, context.now()) }
      }
      const attempt = {
        response,
        cookieInvitation: parseReference(cookies.read(request, INVITATION_COOKIE) ?? ''),
        bindings: listBindings(context.config, cookies, request, body.binding),
        device: deviceOf(request, cookies),
      }
      const started = await rateLimits.countGuess(request, () => signUpWithPasskey(context, actorOf(request), attempt))
      sendSessionToken(reply, cookies, started)
      cookies.clear(reply, PASSKEY_COOKIE)
      return { ...toPasskey(started.passkey), ...toSessionAndUser(started, context.now()) }
    },
  )

  app.get(
    '/api/auth/passkey/generate-authenticate-options',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'change', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'Get the options to sign in with a passkey',
        querystring: AuthenticateOptionsQuery,
        response: responses(AuthenticateOptions, 'UNAUTHORIZED'),
      },
    },
    async (request, reply) => {
      const caller = request.query.newSession === 'true' ? null : request.caller
      if (caller) return startSignIn(context, caller, [bindingOfSession(caller.session)])
      const { binding, bindings } = createBindings(context, cookies, request, reply)
      return { ...(await startSignIn(context, null, bindings)), binding }
    },
  )

  app.post(
    '/api/auth/passkey/verify-authentication',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'Sign in with a passkey',
        body: VerifyAuthenticationBody,
        response: responses(
          SessionAndUser,
          ...CEREMONY_ERRORS,
          'UNKNOWN_PASSKEY',
          'PASSKEY_OF_ANOTHER_USER',
          'AUTHENTICATION_FAILED',
          'PASSKEY_COUNTER_WENT_BACK',
          'BANNED_USER',
          'UNAUTHORIZED',
        ),
      },
    },
    async (request, reply) => {
      const { signInWithPasskey } = await import('./ceremonies.ts')
      const { caller, body } = request
      const attempt = {
        response: body.response,
        bindings: listBindings(context.config, cookies, request, body.binding),
        caller,
        formerToken: cookies.read(request, SESSION_COOKIE),
        formerChallengeToken: cookies.read(request, TWO_FACTOR_COOKIE),
        rememberMe: body.rememberMe ?? true,
        device: deviceOf(request, cookies),
      }
      const started = await rateLimits.countGuess(request, () => signInWithPasskey(context, actorOf(request), attempt))
      sendSessionToken(reply, cookies, started)
      cookies.clear(reply, PASSKEY_COOKIE)
      return toSessionAndUser(started, context.now())
    },
  )

  app.get(
    '/api/auth/passkey/list-user-passkeys',
    {
      config: { access: 'session', rateLimit: 'list', impersonated: 'refused' },
      schema: { summary: "List the caller's passkeys", response: responses(PasskeyList) },
    },
    async (request) => {
      return (await listPasskeysOfUser(context.database, requireCaller(request).user.id)).map(toPasskey)
    },
  )

  app.post(
    '/api/auth/passkey/update-passkey',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Rename a passkey',
        body: RenameBody,
        response: responses(PasskeyResponse, 'PASSKEY_NOT_FOUND'),
      },
    },
    async (request) => ({
      passkey: toPasskey(await renamePasskey(context, actorOf(request), requireCaller(request), request.body)),
    }),
  )

  app.post(
    '/api/auth/passkey/delete-passkey',
    {
      config: { access: 'fresh session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Delete a passkey and revoke every other session',
        body: PasskeyIdBody,
        response: responses(StatusResponse, 'PASSKEY_NOT_FOUND', 'LAST_WAY_TO_SIGN_IN', 'TWO_FACTOR_REQUIRED'),
      },
    },
    async (request) => {
      await deletePasskey(context, actorOf(request), requireCaller(request), request.body.id)
      return { status: true }
    },
  )
}

function alreadySignedIn(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    field: 'context',
    message: 'context is for signing up, but you are signed in. Sign out first, or omit it.',
  })
}
