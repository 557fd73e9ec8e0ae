import type { UnknownObject } from 'oidc-provider'
import { TWO_STEP } from './scopes.ts'

export interface AcrRequest {
  accepted: unknown[]
  /** Without an accepted class, the client gets no token (OpenID Connect Core 1.0, section 5.5.1.1). */
  isEssential: boolean
}

/** @param params checked by the library: `claims` is the JSON text of an object */
export function acrRequestOf({ claims, acr_values }: UnknownObject): AcrRequest {
  const { acr } = idTokenClaimsOf(claims)
  const named = [acr?.values ?? acr?.value ?? []].flat()
  if (named.length > 0) return { accepted: named, isEssential: Boolean(acr?.essential) }
  return { accepted: typeof acr_values === 'string' ? acr_values.split(' ') : [], isEssential: false }
}

export function needsSecondStep({ accepted }: AcrRequest, acr: string): boolean {
  return accepted.includes(TWO_STEP) && !accepted.includes(acr)
}

interface ClaimRequest {
  essential?: unknown
  value?: unknown
  values?: unknown
}

/** The requested claims of the ID token, by name. An empty parameter requests none (RFC 6749, section 3.1). */
export function idTokenClaimsOf(claims: unknown): Record<string, ClaimRequest | null | undefined> {
  const { id_token = {} } = typeof claims === 'string' && claims !== '' ? JSON.parse(claims) : {}
  return id_token
}
