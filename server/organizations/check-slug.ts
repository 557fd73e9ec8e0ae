import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { isSlugTaken } from './store.ts'

/** Whether an organization could have the slug now; making it is what decides. @throws ApiError ORGANIZATION_SLUG_ALREADY_TAKEN */
export async function checkSlug(database: Kysely<Tables>, slug: string): Promise<void> {
  if (await isSlugTaken(database, slug)) throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug' })
}
