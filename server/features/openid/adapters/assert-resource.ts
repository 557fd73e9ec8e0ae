import type { Library } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'

/**
 * The library checks the resource after it has consumed the token. A repeated request would then count as a replay.
 * @throws InvalidTarget
 */
export function assertResource({ Provider, errors }: Library): void {
  const { resource: granted } = getRequestState().found ?? {}
  const resource = Provider.ctx?.oidc.params?.resource || granted
  if (resource === undefined || (typeof resource === 'string' && [granted].flat().includes(resource))) return
  throw new errors.InvalidTarget('the resource must be a single one, of those of the sign-in')
}
