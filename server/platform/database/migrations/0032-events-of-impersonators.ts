import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** What staff did while they impersonated users. Few events have an impersonator. */
export async function online({ createIndex }: OnlineSteps): Promise<void> {
  await createIndex(
    'auditEvents_impersonatedBy',
    sql`on "auditEvents" ("impersonatedBy", "createdAt", id) where "impersonatedBy" is not null`,
  )
}
