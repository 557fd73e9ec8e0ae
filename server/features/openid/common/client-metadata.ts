import type { AllClientMetadata, ClientMetadata } from 'oidc-provider'
import { isSelfRegistered, metadataOf } from '../../../core/oauth-clients/store.ts'
import type { OAuthClientRow } from '../../../platform/database/tables.ts'

/** Our own metadata of a client, which the library hands on unchanged. */
export const OWN_METADATA = ['skip_consent', 'reference_id', 'is_self_registered']

/** The client in the form of the library. `client_secret` is the hash: `compareClientSecret` compares hashes. */
export function toProviderMetadata(client: OAuthClientRow): AllClientMetadata {
  // The library would refuse every request of a client if it does not accept a contact as an email address.
  const {
    dpop_bound_access_tokens,
    backchannel_logout_session_required: _,
    contacts: __,
    ...metadata
  } = metadataOf(client)
  return {
    ...metadata,
    client_id: client.id,
    ...(client.secretHash !== null && { client_secret: client.secretHash }),
    dpop_bound_access_tokens,
    skip_consent: client.skipConsent === 1,
    reference_id: client.organizationId,
    is_self_registered: isSelfRegistered(client),
  } as ClientMetadata
}

export interface OwnMetadata {
  skipConsent: boolean
  organizationId: string | null
  isSelfRegistered: boolean
}

export function ownMetadataOf(client: object): OwnMetadata {
  const { skip_consent, reference_id, is_self_registered } = client as {
    skip_consent?: boolean
    reference_id?: string | null
    is_self_registered?: boolean
  }
  return {
    skipConsent: skip_consent === true,
    organizationId: reference_id ?? null,
    isSelfRegistered: is_self_registered === true,
  }
}
