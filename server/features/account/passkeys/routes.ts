import { callerOf } from '../../../core/access/access.ts'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import type { Cookies } from '../../../platform/http/cookies.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { deletePasskey } from './delete-passkey.ts'
import { registerRegistrationRoutes } from './registration-routes.ts'
import { renamePasskey } from './rename-passkey.ts'
import { PasskeyAnswer, PasskeyIdBody, PasskeyList, RenameBody, StatusAnswer } from './schemas.ts'
import { registerSignInRoutes } from './sign-in-routes.ts'
import { toPasskey } from './wire.ts'

/** Passkeys: making them, signing in with them, and keeping them in order. */
export function registerPasskeyRoutes(app: App, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  registerRegistrationRoutes(app, context, cookies, rateLimits)
  registerSignInRoutes(app, context, cookies, rateLimits)

  app.get(
    '/api/auth/passkey/list-user-passkeys',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'refused' },
      schema: { summary: "The caller's passkeys", response: answers(PasskeyList) },
    },
    async (request) => {
      return (await listPasskeysOfUser(context.database, callerOf(request).user.id)).map(toPasskey)
    },
  )

  app.post(
    '/api/auth/passkey/update-passkey',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Rename a passkey',
        body: RenameBody,
        response: answers(PasskeyAnswer, 'PASSKEY_NOT_FOUND'),
      },
    },
    async (request) => ({
      passkey: toPasskey(await renamePasskey(context, actorOf(request), callerOf(request), request.body)),
    }),
  )

  app.post(
    '/api/auth/passkey/delete-passkey',
    {
      config: { access: 'fresh session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Delete a passkey, and end every other session',
        body: PasskeyIdBody,
        response: answers(StatusAnswer, 'PASSKEY_NOT_FOUND', 'LAST_WAY_TO_SIGN_IN'),
      },
    },
    async (request) => {
      await deletePasskey(context, actorOf(request), callerOf(request), request.body.id)
      return { status: true }
    },
  )
}
