import { type Kysely, type SqlBool, sql } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import { countMatching } from '../../platform/database/count-matching.ts'
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

/**
 * The client may have been disabled since it was read. With a stronger lock, many sign-ins could hold the disabling up.
 * On PostgreSQL, a session may be inserted while the client is disabled. It is refused, and maintenance revokes it, or
 * the request that enables the client.
 * @throws ApiError OAUTH_CLIENT_NOT_FOUND, also for a disabled client
 */
export async function lockOAuthClientForShare(transaction: Kysely<Tables>, id: string): Promise<OAuthClientRow> {
  const found = transaction.selectFrom('oauthClients').selectAll().where('id', '=', id).forKeyShare()
  const client = await found.executeTakeFirst()
  if (!client || client.disabled === 1) throw new ApiError('OAUTH_CLIENT_NOT_FOUND')
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

export function toMetadataColumns({ client_name, backchannel_logout_uri, ...rest }: ClientMetadata): MetadataColumns {
  return { name: client_name, metadata: JSON.stringify(rest), backchannelLogoutUri: backchannel_logout_uri ?? null }
}

/** @param organizationId null for the clients of the service */
export function listOAuthClients(database: Kysely<Tables>, organizationId: string | null): Promise<OAuthClientRow[]> {
  return database
    .selectFrom('oauthClients')
    .selectAll()
    .where('organizationId', organizationId === null ? 'is' : '=', organizationId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

const HAS_NO_CONSENT = sql<SqlBool>`not exists (
  select 1 from "oauthConsents" where "oauthConsents"."clientId" = "oauthClients".id)`

export const IS_SELF_REGISTERED = sql<SqlBool>`"organizationId" is null and "createdBy" is null`

export function isSelfRegistered({
  organizationId,
  createdBy,
}: Pick<OAuthClientRow, 'organizationId' | 'createdBy'>): boolean {
  return organizationId === null && createdBy === null
}

export function countOAuthClients(
  transaction: Kysely<Tables>,
  owner: { organizationId: string } | 'registered',
): Promise<number> {
  const clients = transaction.selectFrom('oauthClients')
  return countMatching(
    owner === 'registered'
      ? clients.where(IS_SELF_REGISTERED)
      : clients.where('organizationId', '=', owner.organizationId),
  )
}

/** The client whose last change is the oldest, and not after `before`. */
export function lockUnusedOAuthClientForUpdate(
  transaction: Kysely<Tables>,
  before: number,
): Promise<Pick<OAuthClientRow, 'id' | 'name'> | undefined> {
  return transaction
    .selectFrom('oauthClients')
    .select(['id', 'name'])
    .where(IS_SELF_REGISTERED)
    .where('skipConsent', '=', 0)
    .where('updatedAt', '<=', before)
    .where(HAS_NO_CONSENT)
    .orderBy('updatedAt')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** Checks the consents again: the statement of the lock may have begun before a consent was committed. */
export async function deleteOAuthClientWithoutConsent(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  const found = transaction.deleteFrom('oauthClients').where('id', '=', id).where(HAS_NO_CONSENT)
  return (await found.executeTakeFirstOrThrow()).numDeletedRows > 0n
}

/** @throws ApiError OAUTH_CLIENT_NOT_FOUND, also for a client of another owner */
export async function lockOAuthClientForUpdate(
  transaction: Kysely<Tables>,
  { id, organizationId }: Pick<OAuthClientRow, 'id' | 'organizationId'>,
): Promise<OAuthClientRow> {
  const client = await transaction
    .selectFrom('oauthClients')
    .selectAll()
    .where('id', '=', id)
    .where('organizationId', organizationId === null ? 'is' : '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!client) throw new ApiError('OAUTH_CLIENT_NOT_FOUND', { field: 'client_id' })
  return client
}

type OAuthClientChange = Partial<MetadataColumns & Pick<OAuthClientRow, 'secretHash' | 'skipConsent' | 'disabled'>>

export function updateOAuthClientRow(
  transaction: Kysely<Tables>,
  id: string,
  change: OAuthClientChange & Pick<OAuthClientRow, 'updatedAt'>,
): Promise<OAuthClientRow> {
  return transaction
    .updateTable('oauthClients')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Foreign keys delete its consents, sessions, grants and tokens. A deleted client gets no log-out. */
export async function deleteOAuthClientRow(transaction: Kysely<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('oauthClients').where('id', '=', id).execute()
}

/** @returns the clients that were enabled */
export function disableAllOAuthClients(
  transaction: Kysely<Tables>,
  now: number,
): Promise<Pick<OAuthClientRow, 'id' | 'organizationId' | 'name'>[]> {
  return transaction
    .updateTable('oauthClients')
    .set({ disabled: 1, updatedAt: now })
    .where('disabled', '=', 0)
    .returning(['id', 'organizationId', 'name'])
    .execute()
}

export async function enableOAuthClients(transaction: Kysely<Tables>, ids: string[], now: number): Promise<void> {
  await transaction.updateTable('oauthClients').set({ disabled: 0, updatedAt: now }).where('id', 'in', ids).execute()
}
