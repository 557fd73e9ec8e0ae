import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** For staff: impersonation, the search among a million users, and an audit log that shows whether it was changed. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addImpersonation(database)
  await addAuditChain(database)
  if (database.getExecutor().adapter instanceof PostgresAdapter) await addPostgresIndexes(database)
  else {
    await addSqliteIndexes(database)
    await addChangeCount(database)
  }
}

async function addImpersonation({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('sessions')
    .addColumn('impersonatorSessionId', 'text', (column) => column.references('sessions.id').onDelete('cascade'))
    .execute()
  await schema.alterTable('sessions').addColumn('sealedImpersonatorToken', 'text').execute()
  for (const column of ['impersonatorSessionId', 'impersonatedBy']) {
    await schema
      .createIndex(`sessions_${column}`)
      .on('sessions')
      .column(column)
      .where(column as never, 'is not', null)
      .execute()
  }
}

async function addAuditChain({ schema }: Kysely<unknown>): Promise<void> {
  const audit = () => schema.alterTable('auditEvents')
  await audit()
    .addColumn('mac', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await audit().addColumn('sequence', 'bigint').execute()
  await audit().addColumn('hash', 'text').execute()
  await schema.createIndex('auditEvents_sequence').unique().on('auditEvents').column('sequence').execute()
  await schema
    .createIndex('auditEvents_unchained')
    .on('auditEvents')
    .columns(['createdAt', 'id'])
    .where('sequence' as never, 'is', null)
    .execute()
  for (const columns of [[], ['action'], ['actorId'], ['subjectId'], ['organizationId']]) {
    await schema
      .createIndex(['auditEvents', ...columns, 'createdAt'].join('_'))
      .on('auditEvents')
      .columns([...columns, 'createdAt', 'id'])
      .execute()
  }
  await schema
    .createTable('auditHead')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('mac', 'text', (column) => column.notNull())
    .execute()
}

const SORTED_NUMBERS = ['emailVerified', 'banned', 'banExpires', 'createdAt', 'updatedAt']
const SORTED_TEXTS = ['name', 'image', 'role', 'banReason']

/** Each index ends with the id, which breaks ties, so that a page can be read off it. */
async function addSqliteIndexes(database: Kysely<unknown>): Promise<void> {
  for (const column of [...SORTED_NUMBERS, ...SORTED_TEXTS]) {
    await sql`create index ${sql.id(`users_${column}`)} on users (${sql.id(column)}, id)`.execute(database)
  }
  await sql`create index users_lowerName on users (lower(name), id)`.execute(database)
  // Trigrams of names and addresses (https://sqlite.org/fts5.html, section 4.3.4): candidates, which the query checks.
  await sql`create virtual table "usersSearch" using fts5 (
    name, email, content = 'users', tokenize = 'trigram', detail = none, columnsize = 0)`.execute(database)
  await sql`insert into "usersSearch" (rowid, name, email)
    select rowid, name, email from users not indexed order by rowid`.execute(database)
  const forget = sql`insert into "usersSearch" ("usersSearch", rowid, name, email)
    values ('delete', old.rowid, old.name, old.email);`
  const learn = sql`insert into "usersSearch" (rowid, name, email) values (new.rowid, new.name, new.email);`
  await sql`create trigger users_search_insert after insert on users begin ${learn} end`.execute(database)
  await sql`create trigger users_search_delete after delete on users begin ${forget} end`.execute(database)
  await sql`create trigger users_search_update after update of name, email on users begin ${forget} ${learn} end`.execute(
    database,
  )
}

/** Counts the changes of users: a cached number of users is valid until the next change. */
async function addChangeCount(database: Kysely<unknown>): Promise<void> {
  await sql`create table "userChanges" (count integer not null)`.execute(database)
  await sql`insert into "userChanges" values (0)`.execute(database)
  for (const event of ['insert', 'update', 'delete']) {
    await sql`create trigger ${sql.id(`users_count_${event}`)} after ${sql.raw(event)} on users
      begin update "userChanges" set count = count + 1; end`.execute(database)
  }
}

/** The order is that of code points, whatever the collation of the database is: both engines list users in one order. */
async function addPostgresIndexes(database: Kysely<unknown>): Promise<void> {
  for (const column of SORTED_NUMBERS) {
    await sql`create index ${sql.id(`users_${column}`)} on users (${sql.id(column)} nulls first, id collate "C")`.execute(
      database,
    )
  }
  for (const column of ['email', ...SORTED_TEXTS]) {
    await sql`create index ${sql.id(`users_${column}`)}
      on users (${sql.id(column)} collate "C" nulls first, id collate "C")`.execute(database)
  }
  await sql`create index "users_codePoints" on users (id collate "C")`.execute(database)
  await sql`create index "users_lowerName" on users (lower(name collate "C"), id collate "C")`.execute(database)
  // Without the extension, or with one in a schema out of the search path, searching is slower, and still right.
  await sql`do $$ begin
    create extension if not exists pg_trgm;
    create index "users_nameTrigrams" on users using gin (lower(name collate "C") gin_trgm_ops);
    create index "users_emailTrigrams" on users using gin (lower(email collate "C") gin_trgm_ops);
  exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
    raise notice 'pg_trgm is not available';
  end $$`.execute(database)
}
