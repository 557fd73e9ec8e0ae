import { type Kysely, PostgresAdapter, sql } from 'kysely'

export const kind = 'expand'

/** The triggers of change rows also run in sessions with `session_replication_role = replica`, such as a bulk load. */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return
  const { rows } = await sql<{ table: string; trigger: string }>`
    select tgrelid::regclass::text as "table", tgname as "trigger" from pg_trigger
    where tgname like '%\\_recorded' and pg_table_is_visible(tgrelid)`.execute(database)
  for (const { table, trigger } of rows)
    await sql`alter table ${sql.raw(table)} enable always trigger ${sql.id(trigger)}`.execute(database)
}
