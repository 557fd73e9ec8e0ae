import { type Kysely, PostgresAdapter, sql } from 'kysely'

export const kind = 'expand'

/**
 * With the action in the index, SQLite reads no rows of an actor who never did the action. A million events take 0.2 s
 * instead of 8 s. PostgreSQL takes 0.03 s without it.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (database.getExecutor().adapter instanceof PostgresAdapter) return
  await sql`drop index "auditEvents_actorId_createdAt"`.execute(database)
  await sql`create index "auditEvents_actorId_createdAt" on "auditEvents" ("actorId", "createdAt", id, action)`.execute(
    database,
  )
}
