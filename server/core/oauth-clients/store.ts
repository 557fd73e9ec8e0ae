import type { Kysely } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { OAuthClientRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { ClientMetadata } from './metadata.ts'

const findById = compileOnce((database, { id }: { id: string }) =>
  database.selectFrom('oauthClients').selectAll().where('id', '=', id),
)

export async function findOAuthClient(database: Kysely<Tables>, id: string): Promise<OAuthClientRow | undefined> {
  const [client] = await findById(database, { id })
  return client
}

/** For an insert that refers to the client. @throws ApiError OAUTH_CLIENT_NOT_FOUND */
export async function lockOAuthClientForShare(transaction: Kysely<Tables>, id: string): Promise<OAuthClientRow> {
  const found = transaction.selectFrom('oauthClients').selectAll().where('id', '=', id).forKeyShare()
  const client = await found.executeTakeFirst()
  if (!client) throw new ApiError('OAUTH_CLIENT_NOT_FOUND')
  return client
}

export async function insertOAuthClient(transaction: Kysely<Tables>, client: OAuthClientRow): Promise<void> {
  await transaction.insertInto('oauthClients').values(client).execute()
}

type MetadataColumns = Pick<OAuthClientRow, 'name' | 'metadata' | 'backchannelLogoutUri'>

export function metadataOf({ name, metadata, backchannelLogoutUri }: MetadataColumns): ClientMetadata {
  const stored = JSON.parse(metadata) as Omit<ClientMetadata, 'client_name' | 'backchannel_logout_uri'>
  return {
    ...stored,
    client_name: name,
    ...(backchannelLogoutUri !== null && { backchannel_logout_uri: backchannelLogoutUri }),
  }
}

/** What has a column is in no other place. */
export function toMetadataColumns({ client_name, backchannel_logout_uri, ...rest }: ClientMetadata): MetadataColumns {
  return { name: client_name, metadata: JSON.stringify(rest), backchannelLogoutUri: backchannel_logout_uri ?? null }
}
