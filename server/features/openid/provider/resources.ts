import type { ResourceServer } from 'oidc-provider'
import { SCOPES } from '../../../core/oauth-clients/scopes.ts'
import type { Config } from '../../../platform/config/config.ts'
import { hostOf, isLocal, isLoopback } from '../../../platform/config/loopback.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { ACCESS_TOKEN_SECONDS } from '../common/scopes.ts'

/** RFC 8707. Without a resource, a token is for all services behind this one. */
export function resourceServerOf({ config, library }: OpenIdContext, resource: string): ResourceServer {
  if (resource !== config.baseUrl && !isAddressOfService(config, resource))
    throw new library.errors.InvalidTarget(
      'the resource must be an https address without spaces, credentials and fragment',
    )
  return {
    scope: SCOPES.join(' '),
    audience: resource,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }
}

/** Any https address. While BASE_URL is on this machine, a service in development here may have http. */
function isAddressOfService({ baseUrl }: Pick<Config, 'baseUrl'>, resource: string): boolean {
  // The parser ignores spaces around an address, but the audience is the text.
  if (/[^\x21-\x7e]|[\\#]/.test(resource)) return false
  const url = URL.parse(resource)
  if (url?.username !== '' || url.password !== '') return false
  if (url.protocol !== 'http:') return url.protocol === 'https:'
  return isLocal(baseUrl) && isLoopback(hostOf(url))
}
