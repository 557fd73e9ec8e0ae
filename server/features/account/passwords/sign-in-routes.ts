import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import { SIGN_UP_INVITATION_ERRORS } from '../../../core/invitations/errors.ts'
import { presentSession } from '../../../core/sessions/present-session.ts'
import { SignUpAnswer } from '../../../core/users/schemas.ts'
import { toBasicUser, toUser } from '../../../core/users/wire.ts'
import { parseCallbackUrl } from '../../../platform/http/callback-url.ts'
import { type Cookies, INVITATION_COOKIE, SESSION_COOKIE } from '../../../platform/http/cookies.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { SignInAnswer, SignInBody, SignUpBody } from './schemas.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'

/** Signing in and up by password. */
export function registerSignInRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.post(
    '/api/auth/sign-in/email',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused', credentials: 'may disagree' },
      schema: {
        summary: 'Sign in with a password',
        body: SignInBody,
        response: answers(
          SignInAnswer,
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
      const attempt = { email, password, rememberMe, formerToken, device }
      const started = await signIn(context, rateLimits, actorOf(request), attempt)
      presentSession(reply, cookies, started)
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
        response: answers(
          SignUpAnswer,
          'INVALID_EMAIL',
          ...SIGN_UP_INVITATION_ERRORS,
          ...NEW_PASSWORD_ERRORS,
          'USER_ALREADY_EXISTS',
          'INVALID_CALLBACK_URL',
        ),
      },
    },
    async (request, reply) => {
      const { callbackURL, invitation, rememberMe = true, ...person } = request.body
      if (callbackURL !== undefined) parseCallbackUrl(context.config, callbackURL, 'callbackURL')
      const invitationReference = invitation ?? cookies.read(request, INVITATION_COOKIE)
      const device = deviceOf(request, cookies)
      const input = { ...person, rememberMe, invitationReference, device }
      const started = await rateLimits.countGuess(request, () => signUp(context, actorOf(request), input))
      presentSession(reply, cookies, started)
      return { token: started.token, user: toBasicUser(started.user) }
    },
  )
}
