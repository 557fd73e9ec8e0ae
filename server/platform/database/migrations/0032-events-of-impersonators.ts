import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/** Staff ask for all acts of an impersonator. Few events have one. */
export async function online({ createIndex }: OnlineSteps): Promise<void> {
  await createIndex(
    'auditEvents_impersonatedBy',
    sql`on "auditEvents" ("impersonatedBy", "createdAt", id) where "impersonatedBy" is not null`,
  )
}
