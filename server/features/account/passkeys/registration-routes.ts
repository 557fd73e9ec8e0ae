import { callerOf } from '../../../core/access/access.ts'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import { SIGN_UP_INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { INVITATION_COOKIE_SECONDS, parseReference } from '../../../core/invitations/reference.ts'
import { presentSession } from '../../../core/sessions/present-session.ts'
import { toSessionAndUser } from '../../../core/sessions/wire.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { type Cookies, INVITATION_COOKIE, PASSKEY_COOKIE } from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { readBinding } from './binding.ts'
import { findBrowser, markBrowser } from './browser-cookie.ts'
import { placeOfBinding } from './challenge.ts'
import {
  CEREMONY_ERRORS,
  RegisterOptions,
  RegisterOptionsQuery,
  RegistrationAnswer,
  SIGN_UP,
  VerifyRegistrationBody,
} from './schemas.ts'
import { toPasskey } from './wire.ts'

/** Adding a passkey to an account; or, where nobody is signed in, making an account with one, by invitation. */
export function registerRegistrationRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/passkey/generate-register-options',
    {
      exposeHeadRoute: false,
      config: { access: 'fresh session or invitation', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'What a browser needs to make a passkey',
        querystring: RegisterOptionsQuery,
        response: answers(RegisterOptions, ...SIGN_UP_INVITATION_ERRORS, 'USER_ALREADY_EXISTS'),
      },
    },
    async (request, reply) => {
      const { startRegistration, startSignUp } = await import('./ceremonies.ts')
      const { authenticatorAttachment: attachment, name, context: purpose } = request.query
      if (purpose === undefined) return startRegistration(context, callerOf(request), { attachment, name })
      if (request.caller) throw signedInAlready()
      const text = purpose === SIGN_UP ? (cookies.read(request, INVITATION_COOKIE) ?? '') : purpose
      const binding = newToken(context)
      const places = [markBrowser(context, cookies, request, reply), placeOfBinding(binding)]
      const invitation = parseReference(text)
      const options = await rateLimits.countGuess(request, () =>
        startSignUp(context, { name, attachment, invitation, places }),
      )
      // The same as following the link: verify-registration and accepting come from a browser with this cookie.
      cookies.set(reply, INVITATION_COOKIE, text, INVITATION_COOKIE_SECONDS)
      return { ...options, binding }
    },
  )

  app.post(
    '/api/auth/passkey/verify-registration',
    {
      config: { access: 'fresh session or invitation', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Keep the passkey that the browser made',
        body: VerifyRegistrationBody,
        response: answers(
          RegistrationAnswer,
          ...CEREMONY_ERRORS,
          'FAILED_TO_VERIFY_REGISTRATION',
          'PREVIOUSLY_REGISTERED',
          'PASSKEY_LIMIT_REACHED',
          ...SIGN_UP_INVITATION_ERRORS,
          'USER_ALREADY_EXISTS',
        ),
      },
    },
    async (request, reply) => {
      const { addPasskey, signUpWithPasskey } = await import('./ceremonies.ts')
      const { caller, body } = request
      const { response, name } = body
      if (caller) {
        const passkey = await rateLimits.countGuess(request, () =>
          addPasskey(context, actorOf(request), caller, { response, name }),
        )
        return { ...toPasskey(passkey), ...toSessionAndUser(caller, context.now()) }
      }
      const browser = findBrowser(cookies, request)
      const attempt = {
        response,
        cookieInvitation: parseReference(cookies.read(request, INVITATION_COOKIE) ?? ''),
        places: [...(browser ? [browser] : []), ...readBinding(context.config, request, body.binding)],
        device: deviceOf(request, cookies),
      }
      const started = await rateLimits.countGuess(request, () => signUpWithPasskey(context, actorOf(request), attempt))
      presentSession(reply, cookies, started)
      cookies.clear(reply, PASSKEY_COOKIE)
      return { ...toPasskey(started.passkey), ...toSessionAndUser(started, context.now()) }
    },
  )
}

function signedInAlready(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    field: 'context',
    message: 'context is for signing up, but you are signed in. Sign out first, or leave it out.',
  })
}
