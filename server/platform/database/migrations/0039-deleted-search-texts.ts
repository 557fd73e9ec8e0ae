import { type Kysely, PostgresAdapter, sql } from 'kysely'

export const kind = 'expand'

/**
 * The search index of SQLite only marked the names and email addresses of deleted users, and former ones, as deleted. The
 * texts stayed for years. `secure-delete` removes them immediately (https://sqlite.org/fts5.html). `optimize` removes the
 * earlier ones: with a million users, it takes 3 s.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (database.getExecutor().adapter instanceof PostgresAdapter) return
  await sql`insert into "usersSearch" ("usersSearch", rank) values ('secure-delete', 1)`.execute(database)
  await sql`insert into "usersSearch" ("usersSearch") values ('optimize')`.execute(database)
}
