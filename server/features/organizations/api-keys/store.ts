import { type Kysely, sql } from 'kysely'
import { countMatching } from '../../../platform/database/count-matching.ts'
import type { ApiKeyRow, OrganizationRole, OrganizationRow, Tables } from '../../../platform/database/tables.ts'
import { columnSql, type SqlColumn } from '../../../platform/filter/condition-sql.ts'
import type { Page } from '../../../platform/http/paging.ts'

export async function insertApiKeys(transaction: Kysely<Tables>, keys: ApiKeyRow[]): Promise<void> {
  await transaction.insertInto('apiKeys').values(keys).execute()
}

export function findApiKey(database: Kysely<Tables>, id: string): Promise<ApiKeyRow | undefined> {
  return database.selectFrom('apiKeys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Staff revoke API keys without locking their organizations. */
export function lockApiKeyForUpdate(transaction: Kysely<Tables>, id: string): Promise<ApiKeyRow | undefined> {
  return transaction.selectFrom('apiKeys').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** One look-up in the unique index: the response time does not depend on its result. */
export async function findApiKeyByHash(
  database: Kysely<Tables>,
  keyHash: string,
): Promise<{ key: ApiKeyRow; organization: OrganizationRow } | undefined> {
  const row = await database
    .selectFrom('apiKeys')
    .innerJoin('organizations', 'organizations.id', 'apiKeys.organizationId')
    .selectAll('apiKeys')
    .select([
      'organizations.name as organizationName',
      'organizations.slug',
      'organizations.logo',
      'organizations.metadata as organizationMetadata',
      'organizations.createdAt as organizationCreatedAt',
      'organizations.requireTwoFactor',
    ])
    .where('apiKeys.keyHash', '=', keyHash)
    .executeTakeFirst()
  if (!row) return undefined
  const { organizationName, slug, logo, organizationMetadata, organizationCreatedAt, requireTwoFactor, ...key } = row
  const organization = { id: key.organizationId, name: organizationName, slug, logo, metadata: organizationMetadata }
  return { key, organization: { ...organization, createdAt: organizationCreatedAt, requireTwoFactor } }
}

const COLUMNS = {
  createdAt: { reference: sql.ref('apiKeys.createdAt'), type: 'time' },
  updatedAt: { reference: sql.ref('apiKeys.updatedAt'), type: 'time' },
  name: { reference: sql.ref('apiKeys.name'), type: 'text' },
  expiresAt: { reference: sql.ref('apiKeys.expiresAt'), type: 'time' },
} as const satisfies Record<string, SqlColumn>

export interface ApiKeyOrder {
  column: keyof typeof COLUMNS
  direction: 'asc' | 'desc'
}

export interface ApiKeyWithCreator extends ApiKeyRow {
  /** Null when the user is deleted. */
  creatorName: string | null
  /** Null when the user is not a member any more. */
  creatorRole: OrganizationRole | null
}

export async function readApiKeyPage(
  database: Kysely<Tables>,
  organizationId: string,
  { limit, offset }: Page,
  { column, direction }: ApiKeyOrder,
): Promise<{ apiKeys: ApiKeyWithCreator[]; total: number }> {
  const all = database.selectFrom('apiKeys').where('apiKeys.organizationId', '=', organizationId)
  const apiKeys = await all
    .leftJoin('users', 'users.id', 'apiKeys.createdBy')
    .leftJoin('members', (join) =>
      join
        .onRef('members.userId', '=', 'apiKeys.createdBy')
        .onRef('members.organizationId', '=', 'apiKeys.organizationId'),
    )
    .selectAll('apiKeys')
    .select(['users.name as creatorName', 'members.role as creatorRole'])
    .orderBy(columnSql(database, COLUMNS[column]), (order) =>
      direction === 'asc' ? order.asc().nullsLast() : order.desc().nullsFirst(),
    )
    .orderBy('apiKeys.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return { apiKeys, total: await countMatching(all) }
}

export const EXPIRING_MAXIMUM = 100

export function listExpiringApiKeys(
  database: Kysely<Tables>,
  organizationId: string,
  { from, until }: { from: number; until: number },
): Promise<Pick<ApiKeyRow, 'id' | 'name' | 'expiresAt'>[]> {
  return database
    .selectFrom('apiKeys')
    .select(['id', 'name', 'expiresAt'])
    .where('organizationId', '=', organizationId)
    .where('enabled', '=', 1)
    .where('rotatedAt', 'is', null)
    .where('expiresAt', '>', from)
    .where('expiresAt', '<=', until)
    .orderBy('expiresAt')
    .orderBy('id')
    .limit(EXPIRING_MAXIMUM)
    .execute()
}

type ApiKeyChange = Partial<Pick<ApiKeyRow, 'name' | 'enabled' | 'expiresAt' | 'role' | 'metadata'>>

export function updateApiKeyRow(
  database: Kysely<Tables>,
  id: string,
  change: ApiKeyChange & Pick<ApiKeyRow, 'updatedAt'> & Partial<Pick<ApiKeyRow, 'rotatedAt' | 'lifetime'>>,
): Promise<ApiKeyRow> {
  return database.updateTable('apiKeys').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export function deleteApiKeyRow(database: Kysely<Tables>, id: string): Promise<ApiKeyRow | undefined> {
  return database.deleteFrom('apiKeys').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Compare-and-set: one of several concurrent uses is written. */
export async function updateApiKeyUse(
  database: Kysely<Tables>,
  { id, lastUsedAt }: ApiKeyRow,
  now: number,
): Promise<void> {
  await database
    .updateTable('apiKeys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where('lastUsedAt', lastUsedAt === null ? 'is' : '=', lastUsedAt)
    .execute()
}

/** A user who created API keys: in one organization, or by default in all of them. */
export interface Creator {
  userId: string
  organizationId?: string
}

export interface UsableApiKey extends ApiKeyRow {
  organizationName: string
}

export function listUsableApiKeysCreatedBy(
  database: Kysely<Tables>,
  { userId, organizationId }: Creator,
  now: number,
): Promise<UsableApiKey[]> {
  return database
    .selectFrom('apiKeys')
    .innerJoin('organizations', 'organizations.id', 'apiKeys.organizationId')
    .selectAll('apiKeys')
    .select('organizations.name as organizationName')
    .where('createdBy', '=', userId)
    .$if(organizationId !== undefined, (query) => query.where('organizationId', '=', organizationId ?? ''))
    .where('enabled', '=', 1)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)]))
    .orderBy('apiKeys.createdAt')
    .orderBy('apiKeys.id')
    .execute()
}

/** Deletes disabled and expired API keys too. */
export function deleteApiKeysCreatedBy(
  database: Kysely<Tables>,
  { userId, organizationId }: Creator,
): Promise<ApiKeyRow[]> {
  return database
    .deleteFrom('apiKeys')
    .where('createdBy', '=', userId)
    .$if(organizationId !== undefined, (query) => query.where('organizationId', '=', organizationId ?? ''))
    .returningAll()
    .execute()
}

export function countApiKeys(database: Kysely<Tables>, organizationId: string): Promise<number> {
  return countMatching(database.selectFrom('apiKeys').where('organizationId', '=', organizationId))
}

/** @returns the API keys that were enabled */
export function disableAllApiKeys(
  transaction: Kysely<Tables>,
  now: number,
): Promise<Pick<ApiKeyRow, 'id' | 'organizationId'>[]> {
  return transaction
    .updateTable('apiKeys')
    .set({ enabled: 0, updatedAt: now })
    .where('enabled', '=', 1)
    .returning(['id', 'organizationId'])
    .execute()
}

export async function enableApiKeys(transaction: Kysely<Tables>, ids: string[], now: number): Promise<void> {
  await transaction.updateTable('apiKeys').set({ enabled: 1, updatedAt: now }).where('id', 'in', ids).execute()
}
