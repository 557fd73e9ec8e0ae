import type { ClientMetadata } from '../../server/core/oauth-clients/metadata.ts'
import { insertOAuthClient, toMetadataColumns } from '../../server/core/oauth-clients/store.ts'
import { newId } from '../../server/platform/crypto/tokens.ts'
import type { OAuthClientRow, OAuthConsentRow } from '../../server/platform/database/tables.ts'
import { insertTestClientSessions } from './client-sessions.ts'
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

/** Inserts the row of a client directly. By default the client is public and belongs to the service. */
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

/** A consent of a user to a new client, and a session at it with a grant. */
export async function insertTestConsent(
  service: Pick<Service, 'context'>,
  userId: string,
  { metadata = {}, columns = {} }: { metadata?: Partial<ClientMetadata>; columns?: Partial<OAuthClientRow> } = {},
): Promise<{ client: OAuthClientRow; consent: OAuthConsentRow; sid: string }> {
  const { context } = service
  const { database } = context
  const client = await insertTestClient(service, metadata, columns)
  const scopes = 'openid email'
  const times = { createdAt: context.now(), updatedAt: context.now() }
  const consent = { id: newId('con', context), userId, clientId: client.id, scopes, organizationIds: '', ...times }
  await database.insertInto('oauthConsents').values(consent).execute()
  return { client, consent, sid: await insertSessionAtClient(service, { userId, clientId: client.id, scopes }) }
}

/** The newest session of a user at a client, with a grant. @returns its `sid` */
export async function insertSessionAtClient(
  service: Pick<Service, 'context'>,
  { userId, clientId, scopes }: { userId: string; clientId: string; scopes: string },
): Promise<string> {
  const { id: sessionId } = await service.context.database
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const [sid = ''] = await insertTestClientSessions(service, [
    { sessionId, userId, clientId, organizationId: null, scopes },
  ])
  return sid
}
