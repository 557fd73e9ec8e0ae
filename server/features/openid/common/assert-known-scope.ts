import { splitKnownScopes } from '../../../core/oauth-clients/scopes.ts'
import type { Library } from './openid-context.ts'

/**
 * The library would answer access_denied to an authorization, and give a device a token without a scope.
 * @throws InvalidScope without a scope that the service knows (RFC 6749, section 3.3)
 */
export function assertKnownScope({ errors }: Library, scope: unknown): void {
  if (typeof scope === 'string' && splitKnownScopes(scope).length > 0) return
  throw new errors.InvalidScope(
    'ask for a scope that the service knows, such as openid to sign a user in, or organization',
    '',
  )
}
