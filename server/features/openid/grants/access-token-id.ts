import { newToken } from '../../../platform/crypto/tokens.ts'
import type { OpenIdContext } from '../common/openid-context.ts'

/** The `jti` begins with the ids of the grants, so that introspection finds them. */
export function newAccessTokenId(context: OpenIdContext, grantIds: string | undefined): string {
  const id = newToken(context)
  return grantIds === undefined ? id : `${grantIds}.${id}`
}

/** The grant that a token gets, followed by those on which it depends, in the form of the library's `grantId`. */
export function joinGrantIds(grantId: string, former: string[]): string {
  return [grantId, ...former].join('.')
}

/** The first grant is the token's own. Empty for a token without a grant. */
export function grantIdsOf(accessTokenId: string): string[] {
  return accessTokenId.split('.').slice(0, -1)
}
