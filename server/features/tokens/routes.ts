import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requireCaller, requireMembership } from '../../core/access/access.ts'
import { assertSecondStep } from '../../core/access/two-step-policy.ts'
import type { Context } from '../../core/context.ts'
import type { FindMembership } from '../../core/memberships/membership-cache.ts'
import { saveLastUse } from '../../core/memberships/save-last-use.ts'
import { Slug } from '../../core/organizations/slug.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { Properties, Query, responses } from '../../platform/http/schemas.ts'
import { mintToken, subjectOfApiKey, subjectOfMember } from './mint-token.ts'
import { KEYS_MAX_AGE_SECONDS } from './publication.ts'
import type { SigningKeys } from './signing-keys.ts'

const TokenResponse = Type.Object({ token: Type.String({ description: 'a JWT, valid for 15 minutes' }) })
const KeySet = Type.Object({ keys: Type.Array(Properties) })

export function registerTokenRoutes(
  app: HttpApp,
  context: Context,
  keys: SigningKeys,
  findMembership: FindMembership,
): void {
  const mintForSlug = async (request: FastifyRequest, slug: string): Promise<string> => {
    const { apiKey } = request
    if (apiKey) {
      if (apiKey.organization.slug !== slug) throw new ApiError('ORGANIZATION_NOT_FOUND')
      return mintToken(context, await keys.current(), subjectOfApiKey(apiKey), apiKey.organization)
    }
    const caller = requireCaller(request)
    // Concurrently, because each may be a round trip.
    const [membership, key] = await Promise.all([findMembership(caller.user.id, { slug }), keys.current()])
    if (!membership) throw new ApiError('ORGANIZATION_NOT_FOUND')
    assertSecondStep(context.config, caller, membership.organization)
    await saveLastUse(context, caller, membership)
    return mintToken(context, key, subjectOfMember(caller, membership), membership.organization)
  }

  app.get(
    '/api/token',
    {
      exposeHeadRoute: false,
      config: {
        access: 'verified session or api key',
        rateLimit: 'guess',
        impersonated: 'allowed',
        otherOrigins: 'allowed',
      },
      schema: {
        summary: 'A signed token for the caller in the organization with this slug',
        querystring: Query({ org: Slug }),
        response: responses(TokenResponse, 'ORGANIZATION_NOT_FOUND', 'TWO_FACTOR_REQUIRED'),
      },
    },
    async (request) => {
      return { token: await mintForSlug(request, request.query.org) }
    },
  )

  app.get(
    '/api/auth/token',
    {
      exposeHeadRoute: false,
      config: {
        access: { organization: 'membership' },
        rateLimit: 'none',
        impersonated: 'allowed',
        otherOrigins: 'allowed',
      },
      schema: {
        summary: "A signed token for the caller in the session's active organization",
        querystring: Query({}),
        response: responses(TokenResponse, 'TWO_FACTOR_REQUIRED'),
      },
    },
    async (request) => {
      const membership = requireMembership(request)
      const caller = requireCaller(request)
      assertSecondStep(context.config, caller, membership.organization)
      const subject = subjectOfMember(caller, membership)
      return { token: await mintToken(context, await keys.current(), subject, membership.organization) }
    },
  )

  for (const url of ['/api/auth/jwks', '/.well-known/jwks.json']) {
    app.get(
      url,
      {
        config: { access: 'public', rateLimit: 'none', impersonated: 'allowed', otherOrigins: 'public' },
        schema: { summary: 'The public keys that verify tokens', response: responses(KeySet) },
      },
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${KEYS_MAX_AGE_SECONDS}`)
        // Applications in a browser, of any origin, verify ID tokens.
        if (!reply.hasHeader('access-control-allow-origin')) reply.header('access-control-allow-origin', '*')
        return keys.published()
      },
    )
  }
}
