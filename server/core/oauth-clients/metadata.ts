export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code' as const
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange' as const
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  DEVICE_CODE_GRANT,
  TOKEN_EXCHANGE_GRANT,
] as const
export type GrantType = (typeof GRANT_TYPES)[number]

/** Grant types for clients that authenticate, because anyone can pose as a public client (RFC 6749, section 4.4). */
export const CONFIDENTIAL_GRANT_TYPES: readonly GrantType[] = ['client_credentials', TOKEN_EXCHANGE_GRANT]

export const CONFIDENTIAL_AUTHENTICATION_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const
export const CLIENT_AUTHENTICATION_METHODS = ['none', ...CONFIDENTIAL_AUTHENTICATION_METHODS] as const
type AuthenticationMethod = (typeof CLIENT_AUTHENTICATION_METHODS)[number]

export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const
type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** Algorithms of the JWT with which a client authenticates by `private_key_jwt`. */
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'] as const
type AssertionAlgorithm = (typeof ASSERTION_ALGORITHMS)[number]

export const APPLICATION_TYPES = ['web', 'native'] as const
export type ApplicationType = (typeof APPLICATION_TYPES)[number]

/** The metadata of a client under its names on the wire (RFC 7591, section 2). */
export interface ClientMetadata {
  client_name: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  grant_types: GrantType[]
  response_types: 'code'[]
  /** Separated by spaces. */
  scope: string
  token_endpoint_auth_method: AuthenticationMethod
  token_endpoint_auth_signing_alg?: AssertionAlgorithm
  id_token_signed_response_alg: SigningAlgorithm
  application_type: ApplicationType
  backchannel_logout_uri?: string
  backchannel_logout_session_required: boolean
  dpop_bound_access_tokens: boolean
  client_uri?: string
  logo_uri?: string
  tos_uri?: string
  policy_uri?: string
  contacts?: string[]
  software_id?: string
  software_version?: string
  jwks?: { keys: Record<string, unknown>[] }
  jwks_uri?: string
}

export function usesSecret({ token_endpoint_auth_method: method }: ClientMetadata): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post'
}
