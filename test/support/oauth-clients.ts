import type { ClientMetadata } from '../../server/core/oauth-clients/metadata.ts'
import { insertOAuthClient, toMetadataColumns } from '../../server/core/oauth-clients/store.ts'
import { newId } from '../../server/platform/crypto/tokens.ts'
import type { OAuthClientRow } from '../../server/platform/database/tables.ts'
import type { Service } from './service.ts'

const METADATA: ClientMetadata = {
  client_name: 'Grafana',
  redirect_uris: ['https://grafana.example.com/login/generic_oauth'],
  post_logout_redirect_uris: [],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid profile email offline_access',
  token_endpoint_auth_method: 'none',
  id_token_signed_response_alg: 'RS256',
  application_type: 'web',
  backchannel_logout_session_required: false,
  dpop_bound_access_tokens: false,
}

/** The row of a client, without its routes: public and of the service, unless the columns say otherwise. */
export async function insertTestClient(
  { context }: Pick<Service, 'context'>,
  metadata: Partial<ClientMetadata> = {},
  columns: Partial<OAuthClientRow> = {},
): Promise<OAuthClientRow> {
  const now = context.now()
  const client: OAuthClientRow = {
    id: newId('cli', context),
    organizationId: null,
    secretHash: null,
    ...toMetadataColumns({ ...METADATA, ...metadata }),
    skipConsent: 0,
    disabled: 0,
    createdBy: null,
    createdAt: now,
    updatedAt: now,
    ...columns,
  }
  await insertOAuthClient(context.database, client)
  return client
}
