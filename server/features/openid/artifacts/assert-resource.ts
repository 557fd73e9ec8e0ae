import type { Library } from '../grants/openid-context.ts'

/**
 * The library checks the resource of a refresh after it has replaced the token, which a client keeps after an error. So
 * the next refresh of this client would count as a replay.
 * @throws InvalidTarget
 */
export function assertResource({ Provider, errors }: Library): void {
  const { params, entities } = Provider.ctx?.oidc ?? {}
  const { RefreshToken: token } = entities ?? {}
  const resource = params?.resource || token?.resource
  if (resource === undefined || (typeof resource === 'string' && token?.resourceIndicators.has(resource))) return
  throw new errors.InvalidTarget('the resource must be a single one, of those of the sign-in')
}
