import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { callerOf } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { answers, Fields, Properties } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { findMembership } from '../members/find-membership.ts'
import { Slug } from '../organizations/schemas.ts'
import { mintToken } from './mint-token.ts'
import type { SigningKeys } from './signing-keys.ts'

const TokenAnswer = Type.Object({ token: Type.String({ description: 'a JWT, valid for 15 minutes' }) })
const KeySet = Type.Object({ keys: Type.Array(Properties) })

/** Verifiers may keep the keys for so long; a new key is published longer than that before it signs. */
const KEYS_MAX_AGE_SECONDS = 300

/** Tokens for the services behind us, and the keys that verify them. */
export function registerTokenRoutes(app: App, context: Context, keys: SigningKeys): void {
  app.get(
    '/api/token',
    {
      config: { access: 'verified session', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'A signed token for the caller in the organization with this slug',
        querystring: Fields({ org: Slug }),
        response: answers(TokenAnswer, 'UNAUTHORIZED', 'EMAIL_NOT_VERIFIED', 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const membership = await findMembership(context.database, caller.user.id, { slug: request.query.org })
      if (!membership) throw new ApiError('ORGANIZATION_NOT_FOUND')
      reply.header('cache-control', 'no-store')
      return { token: await mintToken(context, keys, caller, membership) }
    },
  )

  for (const url of ['/api/auth/jwks', '/.well-known/jwks.json']) {
    app.get(
      url,
      {
        config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
        schema: { summary: 'The public keys that verify our tokens', response: answers(KeySet) },
      },
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${KEYS_MAX_AGE_SECONDS}`)
        return keys.published()
      },
    )
  }
}
