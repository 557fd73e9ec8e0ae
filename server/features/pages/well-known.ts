import { Type } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { redirectResponse, responses } from '../../platform/http/schemas.ts'

const SECURITY_PAGE = '/account/security'

const PasskeyEndpoints = Type.Object({
  enroll: Type.String({ description: 'the page that adds a passkey' }),
  manage: Type.String({ description: 'the page that lists the passkeys' }),
})

/** For password managers: where a user changes the password and the passkeys (W3C). */
export function registerWellKnownRoutes(app: HttpApp, { baseUrl }: Pick<Config, 'baseUrl'>): void {
  const passkeys = `${baseUrl}${SECURITY_PAGE}#passkeys`

  app.get(
    '/.well-known/change-password',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'Browser entry: the page that changes the password',
        response: { ...redirectResponse('the security page') },
      },
    },
    async (_request, reply) => reply.redirect(`${SECURITY_PAGE}#password`),
  )

  app.get(
    '/.well-known/passkey-endpoints',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'The pages where a user adds and manages passkeys',
        response: responses(PasskeyEndpoints),
      },
    },
    async () => ({ enroll: passkeys, manage: passkeys }),
  )
}
