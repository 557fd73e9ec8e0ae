import type { Static } from 'typebox'
import { metadataOf } from '../../core/oauth-clients/store.ts'
import type { OAuthClientRow } from '../../platform/database/tables.ts'
import { ClientMetadataFields, type ClientMetadataInput } from './metadata-fields.ts'
import type { ClientWithSecret } from './new-client.ts'
import type { OAuthClient, OAuthClientWithSecret, PublicClient } from './schemas.ts'

export function toClient(row: OAuthClientRow): Static<typeof OAuthClient> {
  return {
    ...metadataOf(row),
    client_id: row.id,
    client_id_issued_at: Math.floor(row.createdAt / 1000),
    ...(row.secretHash !== null && { client_secret_expires_at: 0 }),
    subject_type: 'public',
    require_pkce: true,
    enable_end_session: true,
    skip_consent: row.skipConsent === 1,
    disabled: row.disabled === 1,
    ...(row.createdBy !== null && { user_id: row.createdBy }),
    ...(row.organizationId !== null && { reference_id: row.organizationId }),
  }
}

export function toClientWithSecret({ client, secret }: ClientWithSecret): Static<typeof OAuthClientWithSecret> {
  return { ...toClient(client), ...(secret !== undefined && { client_secret: secret }) }
}

/** The official plugin also has `contacts`: they are email addresses, and nothing here needs them. */
export function toPublicClient(row: OAuthClientRow): Static<typeof PublicClient> {
  const { client_name, client_uri, logo_uri, tos_uri, policy_uri } = metadataOf(row)
  return {
    client_id: row.id,
    client_name,
    ...(client_uri !== undefined && { client_uri }),
    ...(logo_uri !== undefined && { logo_uri }),
    ...(tos_uri !== undefined && { tos_uri }),
    ...(policy_uri !== undefined && { policy_uri }),
  }
}

export function pickMetadata(body: ClientMetadataInput): ClientMetadataInput {
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(ClientMetadataFields, name)))
}
