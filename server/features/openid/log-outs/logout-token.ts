import type { Context } from '../../../core/context.ts'
import type { ClientMetadata } from '../../../core/oauth-clients/metadata.ts'
import { signJwt } from '../../../platform/crypto/sign-jwt.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import type { SigningKeys } from '../../tokens/signing-keys.ts'
import type { LeasedLogOut } from './store.ts'

/** Short, because each attempt signs a new token. */
const LIFETIME_SECONDS = 120

/** A logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4), in the algorithm of the client's ID tokens. */
export async function createLogoutToken(
  context: Context,
  keys: SigningKeys,
  { clientId, userId, sid }: LeasedLogOut,
  algorithm: ClientMetadata['id_token_signed_response_alg'],
): Promise<string> {
  const key = await keys.current(algorithm)
  const issuedAtSeconds = Math.floor(context.now() / 1000)
  const claims = {
    iss: context.config.baseUrl,
    aud: clientId,
    sub: userId,
    sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    iat: issuedAtSeconds,
    exp: issuedAtSeconds + LIFETIME_SECONDS,
    jti: newToken(context),
  }
  return signJwt(key, 'logout+jwt', claims)
}
