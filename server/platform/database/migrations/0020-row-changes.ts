import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The column whose value names a changed row to the caches, and the events that they must see. */
const WATCHED = [
  { table: 'sessions', column: 'tokenHash', events: ['update', 'delete'] },
  { table: 'users', column: 'id', events: ['update', 'delete'] },
  { table: 'members', column: 'userId', events: ['update', 'delete'] },
  { table: 'organizations', column: 'id', events: ['update', 'delete'] },
  { table: 'signingKeys', column: 'id', events: ['insert', 'update', 'delete'] },
]

export const kind = 'expand'

/**
 * The changes that caches of other processes must see. Triggers write them in the transaction of the change, so that no code
 * path can forget them. SQLite reports changes by itself. Engines without the snapshots of PostgreSQL have no cache.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (!(await hasSnapshots(database))) return
  await sql`
    create table "rowChanges" (
      "transactionId" xid8 not null default pg_current_xact_id(),
      "tableName" text not null,
      "key" text
    )`.execute(database)
  await sql`create index "rowChanges_transactionId" on "rowChanges" ("transactionId")`.execute(database)
  await sql`
    create table "rowChangePurges" (
      id integer primary key check (id = 1),
      "purgedBefore" xid8 not null,
      "purgedNext" xid8 not null,
      "purgedAt" bigint not null
    )`.execute(database)
  await sql`insert into "rowChangePurges" values (1, '0', '0', 0)`.execute(database)
  // After a crash, transaction ids can be used again. An unlogged table is empty then, and on a standby that was promoted.
  await sql`create unlogged table "rowChangeEpochs" (id integer primary key check (id = 1), epoch text not null)`.execute(
    database,
  )
  for (const { table, column, events } of WATCHED) await watch(database, table, column, events)
}

/** CockroachDB and YugabyteDB speak the protocol of PostgreSQL, but order their transactions in another way. */
async function hasSnapshots(database: Kysely<unknown>): Promise<boolean> {
  if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return false
  const { rows } = await sql<{ version: string }>`select version() as version`.execute(database)
  return /^PostgreSQL (?!.*-YB-)/.test(rows[0]?.version ?? '')
}

async function watch(database: Kysely<unknown>, table: string, column: string, events: string[]): Promise<void> {
  const recordRows = `${table}_recordChanges`
  const recordAll = `${table}_recordTruncate`
  await createFunction(database, recordRows, `select '${table}', "${column}" from changed`)
  await createFunction(database, recordAll, `values ('${table}', null)`)
  for (const event of events) {
    const rows = event === 'insert' ? 'new' : 'old'
    await createTrigger(database, table, event, `referencing ${rows} table as changed`, recordRows)
  }
  await createTrigger(database, table, 'truncate', '', recordAll)
}

async function createFunction(database: Kysely<unknown>, name: string, rows: string): Promise<void> {
  await sql
    .raw(`
      create function "${name}"() returns trigger language plpgsql as $$
      begin
        insert into "rowChanges" ("tableName", "key") ${rows};
        return null;
      end $$`)
    .execute(database)
}

async function createTrigger(
  database: Kysely<unknown>,
  table: string,
  event: string,
  referencing: string,
  functionName: string,
): Promise<void> {
  await sql
    .raw(`
      create trigger "${table}_${event}_recorded" after ${event} on "${table}" ${referencing}
      for each statement execute function "${functionName}"()`)
    .execute(database)
}
