import type { ResourceServer } from 'oidc-provider'
import { SCOPES } from '../../../core/oauth-clients/scopes.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { ACCESS_TOKEN_SECONDS } from '../grants/scopes.ts'

/** A resource (RFC 8707) is any https address. Without one, a token is for all services behind this one. */
export function resourceServerOf({ config, library }: OpenIdContext, resource: string): ResourceServer {
  const url = URL.parse(resource)
  const isHttps = url?.protocol === 'https:' && url.username === '' && url.password === ''
  if ((resource !== config.baseUrl && !isHttps) || resource.includes('#'))
    throw new library.errors.InvalidTarget('the resource must be an https address without credentials and fragment')
  return {
    scope: SCOPES.join(' '),
    audience: resource,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }
}
