import { type Kysely, PostgresAdapter, sql } from 'kysely'

export const kind = 'expand'

/**
 * SQLite has no statistics of values. For the few rows that wait, it chose these indexes and sorted all rows for each
 * batch. The time grew with the square of the backlog. PostgreSQL chooses the index of the waiting rows by itself.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (database.getExecutor().adapter instanceof PostgresAdapter) return
  await sql`drop index "auditEvents_sequence"`.execute(database)
  await sql`create unique index "auditEvents_sequence" on "auditEvents" (sequence) where sequence is not null`.execute(
    database,
  )
  await sql`drop index "oauthLogouts_settledAt"`.execute(database)
  await sql`create index "oauthLogouts_settledAt" on "oauthLogouts" ("settledAt") where "settledAt" is not null`.execute(
    database,
  )
}
