import { createLocalJWKSet, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose'
import type { OpenIdContext } from './openid-context.ts'

type Rules = Pick<JWTVerifyOptions, 'audience' | 'requiredClaims' | 'typ'>

/** @returns undefined when the JWT is forged, has expired, or breaks the rules */
export async function verifyJwt(
  { config, keys, now }: Pick<OpenIdContext, 'config' | 'keys' | 'now'>,
  token: string,
  rules: Rules,
): Promise<JWTVerifyResult | undefined> {
  const published = createLocalJWKSet(await keys.publishedNow())
  const fixed = { issuer: config.baseUrl, currentDate: new Date(now()) }
  return jwtVerify(token, published, { ...rules, ...fixed }).catch(() => undefined)
}
