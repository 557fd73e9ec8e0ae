import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { type Page, parsePage } from '../../../platform/http/paging.ts'
import { API_KEYS_PER_PAGE_MAXIMUM, type ListApiKeysQuery } from './schemas.ts'
import { type ApiKeyWithCreator, readApiKeyPage } from './store.ts'

/** @throws ApiError VALIDATION_ERROR */
export async function listApiKeys(
  { database }: Context,
  organizationId: string,
  query: Static<typeof ListApiKeysQuery>,
): Promise<{ apiKeys: ApiKeyWithCreator[]; total: number } & Page> {
  const { sortBy = 'createdAt', sortDirection = 'asc' } = query
  const page = parsePage(query, API_KEYS_PER_PAGE_MAXIMUM)
  const order = { column: sortBy, direction: sortDirection }
  const found = await readApiKeyPage(database, organizationId, page, order)
  return { ...found, ...page }
}
