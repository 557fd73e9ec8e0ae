import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Totals of users are counted by the indexes that sort them: no trigger of a sign-up updates counters any more. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter
  for (const event of ['insert', 'update', 'delete']) {
    await sql`drop trigger ${sql.id(`users_tally_${event}`)} ${sql.raw(isPostgres ? 'on users' : '')}`.execute(database)
  }
  if (isPostgres) await sql`drop function users_tally()`.execute(database)
  for (const table of ['userStandings', 'userDays']) await sql`drop table ${sql.id(table)}`.execute(database)
  for (const column of ['role', 'emailVerified', 'banned']) {
    await sql`drop index ${sql.id(`users_${column}_createdAt`)}`.execute(database)
  }
  if (isPostgres) await replaceEmailTrigrams(database)
}

/** Of the email address as it is, which is lower-case: to lower a million of them takes as long as to search them. */
async function replaceEmailTrigrams(database: Kysely<unknown>): Promise<void> {
  await sql`do $$ begin
    if to_regclass('"users_nameTrigrams"') is not null then
      drop index if exists "users_emailTrigrams";
      create index "users_emailTrigrams" on users using gin ((email collate "C") gin_trgm_ops);
    end if;
  end $$`.execute(database)
}
