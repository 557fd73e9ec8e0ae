import { type ClientMetadata, CONFIDENTIAL_GRANT_TYPES, type GrantType } from '../../core/oauth-clients/metadata.ts'
import { findKeysFault } from '../../core/oauth-clients/public-keys.ts'
import { findRedirectUriFault } from '../../core/oauth-clients/redirect-uris.ts'
import { isKnownScope, SCOPES, splitScopes } from '../../core/oauth-clients/scopes.ts'
import type { Config } from '../../platform/config/config.ts'
import { isLocal } from '../../platform/config/loopback.ts'
import { ApiError, type ErrorCode } from '../../platform/http/errors.ts'
import type { ClientMetadataInput } from './metadata-fields.ts'
import { findServerUrlFault } from './server-urls.ts'

export const METADATA_ERRORS = ['INVALID_REDIRECT_URI', 'INVALID_CLIENT_METADATA'] as const

type Fault = { field: keyof ClientMetadata; message: string; code?: ErrorCode } | undefined
type Check = (metadata: ClientMetadata, config: Pick<Config, 'baseUrl'>) => Fault

/** In the order in which a user can correct them. */
const CHECKS: Check[] = [
  (metadata) => checkRedirectUris(metadata, 'redirect_uris', 'Redirect URI'),
  (metadata) => checkRedirectUris(metadata, 'post_logout_redirect_uris', 'Log-out URI'),
  checkGrantTypes,
  checkScope,
  checkAuthentication,
  checkKeys,
  checkPages,
  (metadata, config) => checkServerUrl(metadata, config, 'jwks_uri', 'The address of the keys'),
  (metadata, config) => checkServerUrl(metadata, config, 'backchannel_logout_uri', 'The log-out address'),
]

/** The defaults are those of RFC 7591. @throws ApiError INVALID_REDIRECT_URI; INVALID_CLIENT_METADATA */
export function parseClientMetadata(
  config: Pick<Config, 'baseUrl'>,
  input: ClientMetadataInput,
  path = '',
): ClientMetadata {
  const metadata = withDefaults(withoutNull(input))
  for (const check of CHECKS) {
    const fault = check(metadata, config)
    if (!fault) continue
    const { code = 'INVALID_CLIENT_METADATA', field, message } = fault
    throw new ApiError(code, { field: `${path}${field}`, message })
  }
  return metadata
}

function withoutNull(input: ClientMetadataInput): Partial<ClientMetadata> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))
}

function withDefaults(input: Partial<ClientMetadata>): ClientMetadata {
  const grantTypes: GrantType[] = input.grant_types ?? ['authorization_code']
  const [firstUri = ''] = input.redirect_uris ?? []
  return {
    ...input,
    client_name: input.client_name ?? (URL.parse(firstUri)?.hostname || 'App without a name'),
    redirect_uris: unique(input.redirect_uris),
    post_logout_redirect_uris: unique(input.post_logout_redirect_uris),
    grant_types: unique(grantTypes),
    response_types: input.response_types ?? (grantTypes.includes('authorization_code') ? ['code'] : []),
    scope: unique(splitScopes(input.scope ?? SCOPES.join(' '))).join(' '),
    token_endpoint_auth_method: input.token_endpoint_auth_method ?? 'client_secret_basic',
    id_token_signed_response_alg: input.id_token_signed_response_alg ?? 'RS256',
    application_type: input.application_type ?? 'web',
    backchannel_logout_session_required: input.backchannel_logout_session_required ?? false,
    dpop_bound_access_tokens: input.dpop_bound_access_tokens ?? false,
  }
}

function unique<Item>(items: Item[] = []): Item[] {
  return [...new Set(items)]
}

function checkRedirectUris(
  metadata: ClientMetadata,
  field: 'redirect_uris' | 'post_logout_redirect_uris',
  name: string,
): Fault {
  const uris = metadata[field]
  for (const [index, uri] of uris.entries()) {
    const fault = findRedirectUriFault(uri, metadata.application_type)
    const which = uris.length === 1 ? `The ${name[0]?.toLowerCase()}${name.slice(1)}` : `${name} ${index + 1}`
    if (fault) return { code: 'INVALID_REDIRECT_URI', field, message: `${which} ${fault}.` }
  }
  return undefined
}

function checkGrantTypes({ grant_types, response_types, redirect_uris }: ClientMetadata): Fault {
  const hasCode = grant_types.includes('authorization_code')
  if (hasCode && redirect_uris.length === 0) {
    const message = 'An app that signs users in in a browser needs a redirect URI.'
    return { code: 'INVALID_REDIRECT_URI', field: 'redirect_uris', message }
  }
  if (hasCode !== response_types.includes('code'))
    return {
      field: 'response_types',
      message: 'The response type code and the grant type authorization_code need each other.',
    }
  return undefined
}

function checkScope({ scope }: ClientMetadata): Fault {
  const scopes = splitScopes(scope)
  if (scopes.length > 0 && scopes.every(isKnownScope)) return undefined
  return { field: 'scope', message: `The scopes are ${SCOPES.join(', ')}.` }
}

function checkAuthentication(metadata: ClientMetadata): Fault {
  const { token_endpoint_auth_method: method, token_endpoint_auth_signing_alg: algorithm, grant_types } = metadata
  const forbidden = grant_types.find((type) => CONFIDENTIAL_GRANT_TYPES.includes(type))
  if (method === 'none' && forbidden)
    return { field: 'grant_types', message: `The grant type ${forbidden} is for apps that keep a secret or a key.` }
  if (algorithm !== undefined && method !== 'private_key_jwt')
    return {
      field: 'token_endpoint_auth_signing_alg',
      message: 'A signing algorithm is for the authentication method private_key_jwt only.',
    }
  if (method === 'private_key_jwt' && !metadata.jwks && metadata.jwks_uri === undefined)
    return { field: 'jwks', message: 'The authentication method private_key_jwt needs public keys or their address.' }
  return undefined
}

function checkKeys({ jwks, jwks_uri }: ClientMetadata): Fault {
  if (!jwks) return undefined
  if (jwks_uri !== undefined)
    return { field: 'jwks_uri', message: 'Give the public keys or their address, and not both.' }
  const fault = findKeysFault(jwks)
  return fault === undefined ? undefined : { field: 'jwks', message: `The key set ${fault}.` }
}

/** Page addresses must be valid URLs: otherwise the library refuses every request of the client. */
function checkPages(metadata: ClientMetadata): Fault {
  const fields = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'] as const
  const field = fields.find((name) => metadata[name] !== undefined && !URL.canParse(metadata[name]))
  return field && { field, message: 'The address of a page must be a whole one, such as https://app.example.com/.' }
}

function checkServerUrl(
  metadata: ClientMetadata,
  { baseUrl }: Pick<Config, 'baseUrl'>,
  field: 'jwks_uri' | 'backchannel_logout_uri',
  name: string,
): Fault {
  const uri = metadata[field]
  const fault = uri === undefined ? undefined : findServerUrlFault(uri, isLocal(baseUrl))
  return fault === undefined ? undefined : { field, message: `${name} ${fault}.` }
}
