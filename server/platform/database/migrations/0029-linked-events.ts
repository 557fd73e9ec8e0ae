import { sql } from 'kysely'
import type { OnlineSteps } from '../online-steps.ts'

export const kind = 'expand'

/**
 * PostgreSQL thinks that no row waits when none did at its last analysis. It then found 100,000 waiting rows in an index with
 * all values, and sorted them for each batch: 0.7 s instead of 1 ms. 0025 did the same for SQLite.
 */
export async function online({ isPostgres, createIndex, createUniqueIndex }: OnlineSteps): Promise<void> {
  if (!isPostgres) return
  await createUniqueIndex('auditEvents_sequence_linked', sql`on "auditEvents" (sequence) where sequence is not null`)
  await createIndex(
    'oauthLogouts_settledAt_settled',
    sql`on "oauthLogouts" ("settledAt") where "settledAt" is not null`,
  )
}
