import Fastify, { type RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { type Access, accessRuleOf, type RouteAccess } from '../../core/access/access-rules.ts'
import type { DeclaredRoute } from '../../core/access/declared-routes.ts'
import { describeLimits } from '../../core/limits/limits.ts'
import type { Config } from '../../platform/config/config.ts'
import { FixedResponse } from '../../platform/http/fixed-response.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { errorCodesIn, errorResponses } from '../../platform/http/schemas.ts'
import { listDeclaredErrors } from './declared-errors.ts'

/** This schema is only for the document, so it refuses no request. */
const SESSION_HEADERS = Type.Object({
  'x-session-id': Type.Optional(
    Type.String({ description: 'the id of the session that the request is for; 409 SESSION_CHANGED for another one' }),
  ),
})

const ORIGINS = {
  refused: 'ours and TRUSTED_ORIGINS only',
  allowed: 'ours and TRUSTED_ORIGINS and those in RETURN_TO_ORIGINS',
  'decided by client': 'those of the redirect URIs of the client, if it is public or asks for userinfo',
  public: 'all, without credentials',
} as const

export async function describeApi(
  routes: DeclaredRoute[],
  { baseUrl, limits }: Pick<Config, 'baseUrl' | 'limits'>,
): Promise<{ paths?: object }> {
  // Imported at use, because most processes never render the document.
  const { default: swagger } = await import('@fastify/swagger')
  const limitsInWords = describeLimits(limits)
  // The plugin reads the routes of an instance. This instance never serves them, so it needs no compiled schemas.
  const described = Fastify({ exposeHeadRoutes: false })
  described.setValidatorCompiler(() => () => true).setSerializerCompiler(() => () => '')
  await described.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Accounts',
        version: '1',
        description:
          'Users, their sessions and their organizations; and signed tokens that say who calls. Send the session token as a bearer token. Errors have `code` and `message`, those of OAuth endpoints `error` and `error_description`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'The token of the set-auth-token header' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A key of an organization' },
          cookie: { type: 'apiKey', in: 'cookie', name: baseUrl.startsWith('https:') ? '__Host-session' : 'session' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { access, rateLimit, impersonated, otherOrigins } = route.config ?? {}
      const limit = limitsInWords[rateLimit ?? 'none']
      const description = `Access: ${describeAccess(access)}. Rate limit: ${limit}. While impersonating: ${impersonated}. Origins: ${ORIGINS[otherOrigins ?? 'refused']}.`
      const { session, replacedBy } = accessRuleOf(access)
      const security: Record<string, string[]>[] = session === 'required' ? [{ bearer: [] }, { cookie: [] }] : []
      if (replacedBy === 'api key') security.push({ apiKey: [] })
      const response = describeResponses(schema?.response, route)
      const headers = session === 'ignored' ? {} : { headers: SESSION_HEADERS }
      const operationId = operationIdOf(String(route.method), url)
      const named = { ...schema, ...headers, operationId, tags: [tagOf(url)] }
      return { schema: { ...named, response, description, security }, url }
    },
  })
  for (const { method, url, schema, ...config } of routes)
    described.route({ method, url, ...(schema && { schema }), config, handler: async () => {} })
  await described.ready()
  return described.swagger()
}

/** The document has half a MiB, so it is rendered once. */
export function registerOpenApiRoute(app: HttpApp, config: Config): void {
  let document: Promise<FixedResponse> | undefined
  app.get(
    '/api/auth/openapi.json',
    { config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' }, schema: { hide: true } },
    async (request, reply) => {
      document ??= renderDocument(app, config).catch((error) => {
        // The next request tries again, because memory or file descriptors may be free then.
        document = undefined
        throw error
      })
      return (await document).send(request, reply)
    },
  )
}

async function renderDocument({ declaredRoutes }: HttpApp, config: Config): Promise<FixedResponse> {
  return new FixedResponse(JSON.stringify(await describeApi(declaredRoutes, config)), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
  })
}

function describeResponses(response: unknown, { config, method }: RouteOptions): unknown {
  const declared = listDeclaredErrors(config as RouteAccess, String(method))
  return { ...(response as object), ...errorResponses([...errorCodesIn(response), ...declared]) }
}

/** Readers of the document would think that `public` and `anyone` are the same. */
function describeAccess(access: Access | undefined): string | undefined {
  if (access === 'public') return 'no credentials are read'
  if (access === 'anyone') return 'with or without a session'
  return typeof access === 'object' ? describePermission(access) : access
}

function describePermission(access: Exclude<Access, string>): string {
  const permission = describeAuthorizedUsers(access)
  return access.fresh ? `${permission}, in a fresh session` : permission
}

function describeAuthorizedUsers(access: Exclude<Access, string>): string {
  if ('staff' in access) return `staff with the permission ${access.staff}`
  if ('organization' in access) return describeMembers(access.organization)
  return `members with the permission ${access.client} for a client of their organization, staff with it for one of the service`
}

function describeMembers(permission: string): string {
  return permission === 'membership' ? 'members of the organization' : `members with the permission ${permission}`
}

/** Such as `getOrganizationListMembers`. Generators of clients name their functions by it. */
function operationIdOf(method: string, url: string): string {
  const words = url.replace('/api/auth/', '/').match(/[a-zA-Z0-9]+/g) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function tagOf(url: string): string {
  return (
    /^\/api\/auth\/(admin|organization|passkey|api-key|oauth2)\//.exec(url)?.[1] ??
    (url.startsWith('/api/auth/') ? 'account' : 'entry')
  )
}
