import type { TokenEndpointGrantContext, UnknownObject } from 'oidc-provider'
import type { OpenIdContext } from '../common/openid-context.ts'

export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt'

export const EXCHANGE_PARAMETERS = [
  'actor_token',
  'audience',
  'organization',
  'requested_token_type',
  'resource',
  'scope',
  'subject_token',
  'subject_token_type',
] as const

/** Parameters of which RFC 8693, section 2.1 allows several values. The library leaves their refusal to us. */
export const TARGETS = ['audience', 'resource'] as const

export type ExchangeParameters = UnknownObject & { [Name in (typeof EXCHANGE_PARAMETERS)[number]]?: string }
export type ExchangeContext = TokenEndpointGrantContext<ExchangeParameters>

/** @throws InvalidRequest, InvalidTarget, UnauthorizedClient */
export function assertExchangeParameters(
  { library }: OpenIdContext,
  { oidc: { client, params }, headers }: ExchangeContext,
): void {
  const { InvalidRequest, InvalidTarget, UnauthorizedClient } = library.errors
  const requested = params.requested_token_type
  if (client.tokenEndpointAuthMethod === 'none')
    throw new UnauthorizedClient('only a client with a secret or a key may exchange tokens')
  if (client.dpopBoundAccessTokens)
    throw new UnauthorizedClient('the exchange gives no tokens that are bound to a key, which this client has to use')
  // Without a refusal, the client would take the new token for one that is bound to its key (RFC 9449, section 5).
  if (headers.dpop !== undefined)
    throw new InvalidRequest('the exchange gives no tokens that are bound to a key: leave the DPoP proof out')
  if (!params.subject_token || !params.subject_token_type)
    throw new InvalidRequest('send subject_token and subject_token_type')
  if (![ACCESS_TOKEN_TYPE, JWT_TYPE].includes(params.subject_token_type))
    throw new InvalidRequest(`subject_token_type must be ${ACCESS_TOKEN_TYPE} or ${JWT_TYPE}`)
  if (requested !== undefined && ![ACCESS_TOKEN_TYPE, JWT_TYPE].includes(requested))
    throw new InvalidRequest(`requested_token_type must be ${ACCESS_TOKEN_TYPE} or ${JWT_TYPE}`)
  if (params.actor_token !== undefined)
    throw new InvalidRequest('actor_token is not supported: the actor is the client that asks')
  if (params.audience !== undefined)
    throw new InvalidTarget('audience is not supported: name the service by its address, in resource')
  if (Array.isArray(params.resource)) throw new InvalidTarget('ask for one resource: a token is for one service')
}
