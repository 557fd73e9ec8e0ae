import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { deviceOf } from '../devices/device.ts'
import type { Cookies } from '../http/cookies.ts'
import { Name } from '../http/names.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { answers, Email, Fields, Password, Secret } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { NEW_PASSWORD_ERRORS, SignUpAnswer } from '../passwords/schemas.ts'
import { presentSession } from '../sessions/present-session.ts'
import { toBasicUser } from '../users/wire.ts'
import { setUp } from './set-up.ts'

/** The first start: whoever reads the server's output makes the first administrator. */
export function registerSetupRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.post(
    '/api/setup',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Make the first administrator, with the token of the one-time link',
        body: Fields({ token: Secret, name: Name, email: Email, password: Password }),
        response: answers(
          SignUpAnswer,
          'INVALID_TOKEN',
          'SETUP_ALREADY_DONE',
          'INVALID_EMAIL',
          ...NEW_PASSWORD_ERRORS,
          'USER_ALREADY_EXISTS',
        ),
      },
    },
    async (request, reply) => {
      const input = { ...request.body, device: deviceOf(request, cookies) }
      const started = await rateLimits.countGuess(request, () => setUp(context, actorOf(request), input))
      presentSession(reply, cookies, started)
      return { token: started.token, user: toBasicUser(started.user) }
    },
  )
}
