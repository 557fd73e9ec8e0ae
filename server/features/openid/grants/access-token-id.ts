import { newToken } from '../../../platform/crypto/tokens.ts'
import type { OpenIdContext } from './openid-context.ts'

/** The `jti` of an access token begins with its grant, so that introspection finds the grant. */
export function newAccessTokenId(context: OpenIdContext, grantId: string | undefined): string {
  const id = newToken(context)
  return grantId === undefined ? id : `${grantId}.${id}`
}

export function grantIdOf(accessTokenId: string): string | undefined {
  const [grantId, id] = accessTokenId.split('.')
  return id === undefined ? undefined : grantId
}
