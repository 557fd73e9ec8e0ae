import type { Kysely } from 'kysely'
import type { ApiKeyRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { findApiKey } from './store.ts'

/** A key of an organization whose keys the caller may read. @throws ApiError KEY_NOT_FOUND */
export async function getApiKey(database: Kysely<Tables>, id: string): Promise<ApiKeyRow> {
  const key = await findApiKey(database, id)
  if (!key) throw new ApiError('KEY_NOT_FOUND', { field: 'id' })
  return key
}
