import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'

export async function findLatestEventTime(database: Kysely<Tables>): Promise<number | undefined> {
  const latest = await database
    .selectFrom('auditEvents')
    .select('createdAt')
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return latest?.createdAt
}
