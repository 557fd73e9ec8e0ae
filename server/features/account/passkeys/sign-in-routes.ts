import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import { presentSession } from '../../../core/sessions/present-session.ts'
import { SessionAndUser } from '../../../core/sessions/schemas.ts'
import { toSessionAndUser } from '../../../core/sessions/wire.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { type Cookies, PASSKEY_COOKIE, SESSION_COOKIE } from '../../../platform/http/cookies.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { readBinding } from './binding.ts'
import { findBrowser, markBrowser } from './browser-cookie.ts'
import { placeOfBinding, placeOfSession } from './challenge.ts'
import { AuthenticateOptions, CEREMONY_ERRORS, VerifyAuthenticationBody } from './schemas.ts'
import { startSignIn } from './start-sign-in.ts'

/** Signing in with a passkey; or, while signed in, confirming who one is. */
export function registerSignInRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/passkey/generate-authenticate-options',
    {
      exposeHeadRoute: false,
      config: { access: 'anyone', rateLimit: 'change', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'What a browser needs to sign in with a passkey',
        response: answers(AuthenticateOptions, 'UNAUTHORIZED'),
      },
    },
    async (request, reply) => {
      const { caller } = request
      if (caller) return startSignIn(context, caller, [placeOfSession(caller.session)])
      const binding = newToken(context)
      const places = [markBrowser(context, cookies, request, reply), placeOfBinding(binding)]
      return { ...(await startSignIn(context, null, places)), binding }
    },
  )

  app.post(
    '/api/auth/passkey/verify-authentication',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'Sign in with a passkey',
        body: VerifyAuthenticationBody,
        response: answers(
          SessionAndUser,
          ...CEREMONY_ERRORS,
          'UNKNOWN_PASSKEY',
          'PASSKEY_OF_ANOTHER_USER',
          'AUTHENTICATION_FAILED',
          'PASSKEY_COUNTER_WENT_BACK',
          'BANNED_USER',
        ),
      },
    },
    async (request, reply) => {
      const { signInWithPasskey } = await import('./ceremonies.ts')
      const { caller, body } = request
      const browser = findBrowser(cookies, request)
      const places = [
        ...(caller ? [placeOfSession(caller.session)] : []),
        ...(browser ? [browser] : []),
        ...readBinding(context.config, request, body.binding),
      ]
      const attempt = {
        response: body.response,
        places,
        caller,
        formerToken: cookies.read(request, SESSION_COOKIE),
        device: deviceOf(request, cookies),
      }
      const started = await rateLimits.countGuess(request, () => signInWithPasskey(context, actorOf(request), attempt))
      presentSession(reply, cookies, started)
      cookies.clear(reply, PASSKEY_COOKIE)
      return toSessionAndUser(started, context.now())
    },
  )
}
