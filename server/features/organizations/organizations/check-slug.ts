import type { Kysely } from 'kysely'
import { isSlugTaken } from '../../../core/organizations/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** Whether an organization could have the slug now; making it is what decides. @throws ApiError ORGANIZATION_SLUG_ALREADY_TAKEN */
export async function checkSlug(database: Kysely<Tables>, slug: string): Promise<void> {
  if (await isSlugTaken(database, slug)) throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug' })
}
