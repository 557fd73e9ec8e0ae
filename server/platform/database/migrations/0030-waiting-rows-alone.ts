import { type Kysely, PostgresAdapter, sql } from 'kysely'

export const kind = 'expand'

/** The indexes that 0029 replaces. */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`drop index "auditEvents_sequence"`.execute(database)
  await sql`drop index "oauthLogouts_settledAt"`.execute(database)
}
