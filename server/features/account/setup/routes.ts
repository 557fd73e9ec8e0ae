import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { NEW_PASSWORD_ERRORS } from '../../../core/credentials/parse-password.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { sendSessionToken } from '../../../core/sessions/send-session-token.ts'
import { SignUpResponse } from '../../../core/users/schemas.ts'
import { toBasicUser } from '../../../core/users/wire.ts'
import { type Cookies, SESSION_COOKIE } from '../../../platform/http/cookies.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { Name } from '../../../platform/http/names.ts'
import { EmailAddress, Fields, Password, responses, Secret } from '../../../platform/http/schemas.ts'
import { setUp } from './set-up.ts'

/** The link of the first start is in the output of the server, which only the operator can read. */
export function registerSetupRoutes(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.post(
    '/api/setup',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Create the first administrator with the token of the one-time link',
        body: Fields({ token: Secret, name: Name, email: EmailAddress, password: Password }),
        response: responses(
          SignUpResponse,
          'SETUP_ALREADY_DONE',
          'INVALID_TOKEN',
          'INVALID_EMAIL',
          ...NEW_PASSWORD_ERRORS,
          'USER_ALREADY_EXISTS',
        ),
      },
    },
    async (request, reply) => {
      const input = {
        ...request.body,
        formerToken: cookies.read(request, SESSION_COOKIE),
        device: deviceOf(request, cookies),
      }
      const started = await rateLimits.countGuess(request, () => setUp(context, actorOf(request), input))
      sendSessionToken(reply, cookies, started)
      return { token: started.token, user: toBasicUser(started.user) }
    },
  )
}
