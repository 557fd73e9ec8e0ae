import { type Kysely, sql } from 'kysely'
import type { ApiKeyRow, OrganizationRow, Tables } from '../../../platform/database/tables.ts'
import type { Page } from '../../../platform/http/paging.ts'

export async function insertApiKey(database: Kysely<Tables>, key: ApiKeyRow): Promise<void> {
  await database.insertInto('apiKeys').values(key).execute()
}

export function findApiKey(database: Kysely<Tables>, id: string): Promise<ApiKeyRow | undefined> {
  return database.selectFrom('apiKeys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** One look-up by the unique index, which costs the same whether or not it finds anything. */
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
    ])
    .where('apiKeys.keyHash', '=', keyHash)
    .executeTakeFirst()
  if (!row) return undefined
  const { organizationName, slug, logo, organizationMetadata, organizationCreatedAt, ...key } = row
  const organization = { id: key.organizationId, name: organizationName, slug, logo, metadata: organizationMetadata }
  return { key, organization: { ...organization, createdAt: organizationCreatedAt } }
}

export interface ApiKeyOrder {
  column: 'createdAt' | 'updatedAt' | 'name' | 'expiresAt'
  direction: 'asc' | 'desc'
}

export async function findApiKeysOf(
  database: Kysely<Tables>,
  organizationId: string,
  { limit, offset }: Page,
  { column, direction }: ApiKeyOrder,
): Promise<{ apiKeys: ApiKeyRow[]; total: number }> {
  const all = database.selectFrom('apiKeys').where('organizationId', '=', organizationId)
  const apiKeys = await all
    .selectAll()
    .orderBy(sql.ref(column), direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { apiKeys, total }
}

export type ApiKeyChange = Partial<Pick<ApiKeyRow, 'name' | 'enabled' | 'expiresAt' | 'role' | 'metadata'>>

export function changeApiKey(
  database: Kysely<Tables>,
  id: string,
  change: ApiKeyChange & Pick<ApiKeyRow, 'updatedAt'>,
): Promise<ApiKeyRow> {
  return database.updateTable('apiKeys').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export function deleteApiKeyRow(database: Kysely<Tables>, id: string): Promise<ApiKeyRow | undefined> {
  return database.deleteFrom('apiKeys').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Compare-and-set: of many uses at once, one is written. */
export async function markUsed(database: Kysely<Tables>, { id, lastUsedAt }: ApiKeyRow, now: number): Promise<void> {
  await database
    .updateTable('apiKeys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where('lastUsedAt', lastUsedAt === null ? 'is' : '=', lastUsedAt)
    .execute()
}

/** @param leaver without an organization: of all organizations @param now epoch milliseconds */
export function findUsableApiKeysCreatedBy(
  database: Kysely<Tables>,
  { userId, organizationId }: { userId: string; organizationId?: string },
  now: number,
): Promise<ApiKeyRow[]> {
  return database
    .selectFrom('apiKeys')
    .selectAll()
    .where('createdBy', '=', userId)
    .$if(organizationId !== undefined, (query) => query.where('organizationId', '=', organizationId ?? ''))
    .where('enabled', '=', 1)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)]))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** @returns the API keys that are deleted, disabled and expired ones too */
export function deleteApiKeysCreatedBy(
  database: Kysely<Tables>,
  { userId, organizationId }: { userId: string; organizationId?: string },
): Promise<ApiKeyRow[]> {
  return database
    .deleteFrom('apiKeys')
    .where('createdBy', '=', userId)
    .$if(organizationId !== undefined, (query) => query.where('organizationId', '=', organizationId ?? ''))
    .returningAll()
    .execute()
}

export async function countApiKeys(database: Kysely<Tables>, organizationId: string): Promise<number> {
  const { count } = await database
    .selectFrom('apiKeys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .executeTakeFirstOrThrow()
  return count
}
