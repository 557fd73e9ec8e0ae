import { newToken } from '../../../platform/crypto/tokens.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'

/**
 * The `jti` of an access token begins with its grants, so that introspection finds them: its own one, and after an exchange
 * those of the subject.
 */
export function newAccessTokenId(context: OpenIdContext, grantIds: string | undefined): string {
  const id = newToken(context)
  return grantIds === undefined ? id : `${grantIds}.${id}`
}

/** The grant that a token gets, followed by those on which it depends, in the form of the library's `grantId`. */
export function joinGrantIds(grantId: string, former: string[]): string {
  return [grantId, ...former].join('.')
}

/** The first one is the token's own. Empty for a token without a grant. */
export function grantIdsOf(accessTokenId: string): string[] {
  return accessTokenId.split('.').slice(0, -1)
}
