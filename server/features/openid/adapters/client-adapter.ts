import type { Adapter, AllClientMetadata } from 'oidc-provider'
import type { PublicKey } from '../../../core/oauth-clients/public-keys.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import type { GuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import { toProviderMetadata } from '../common/client-metadata.ts'
import type { Library, OpenIdContext } from '../common/openid-context.ts'
import { createFetchClientKeys, type FetchClientKeys } from './client-keys.ts'
import { UNSTORED } from './plain-adapter.ts'

export function createClientAdapter(context: OpenIdContext, fetch: GuardedFetch): Adapter {
  const { database, library } = context
  const fetchKeys = createFetchClientKeys(context, fetch)
  return {
    ...UNSTORED,
    async find(id) {
      // An assertion can name any client, and PostgreSQL refuses NUL.
      const client = id.includes('\0') ? undefined : await findOAuthClient(database, id)
      if (!client || client.disabled === 1) return undefined
      const metadata = toProviderMetadata(client)
      refuseIntrospectionIfPublic(library, metadata)
      return isAuthenticatedByKey(library, metadata) ? withKeys(library, metadata, fetchKeys) : metadata
    },
  }
}

/**
 * A public client proves nothing but its id. The thief of its refresh token could watch whether the client has replaced
 * the token (RFC 7662, section 2.1). The refusal waits until the client is assigned, because the audit event names it.
 */
function refuseIntrospectionIfPublic({ Provider, errors }: Library, metadata: AllClientMetadata): void {
  const { oidc } = Provider.ctx ?? {}
  const isIntrospecting = oidc?.route === 'introspection' && oidc.client === undefined
  if (!isIntrospecting || metadata.token_endpoint_auth_method !== 'none') return
  const events = oidc as unknown as NodeJS.EventEmitter
  events.once('assign.client', () => {
    throw new errors.InvalidClientAuth('only a client with a secret or a key may ask about tokens')
  })
}

/** Other look-ups of the client need no keys, and must not fail with the server of the client. */
function isAuthenticatedByKey({ Provider }: Library, metadata: AllClientMetadata): boolean {
  const { oidc } = Provider.ctx ?? {}
  const isAssertion = oidc?.params?.client_assertion !== undefined && oidc.client === undefined
  return isAssertion && metadata.token_endpoint_auth_method === 'private_key_jwt'
}

/** @throws InvalidClientAuth when the `jwks_uri` gives no keys: the client may have removed its former keys */
async function withKeys(
  { errors }: Library,
  { jwks_uri, ...metadata }: AllClientMetadata,
  fetchKeys: FetchClientKeys,
): Promise<AllClientMetadata> {
  const stored = (metadata.jwks?.keys ?? []) as PublicKey[]
  const fetchOrRefuse = (uri: string) =>
    fetchKeys(uri).catch(() => {
      throw new errors.InvalidClientAuth(
        'the jwks_uri of the client gives no keys: it must answer with 200 and a JWK Set',
      )
    })
  const keys = jwks_uri === undefined ? stored : await fetchOrRefuse(jwks_uri)
  return { ...metadata, jwks: { keys: keys.map(withoutNameOfEd25519) } } as AllClientMetadata
}

/**
 * The library takes a key only for the algorithm that its `alg` names. EdDSA is the former name of Ed25519 (RFC 9864),
 * and libraries of clients sign with either one.
 */
function withoutNameOfEd25519(key: PublicKey): PublicKey {
  const isNamed = key.kty === 'OKP' && (key.alg === 'EdDSA' || key.alg === 'Ed25519')
  return isNamed ? { ...key, alg: undefined } : key
}
