import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Totals of users, so that a list shows how many users match without counting a million rows. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter
  await createTallies(database, isPostgres)
  // The triggers come first: their lock keeps other transactions from changing users before this commit.
  await (isPostgres ? addPostgresTriggers(database) : addSqliteTriggers(database))
  await fillTallies(database)
  await addStandingIndexes(database, isPostgres)
  if (isPostgres) return
  await dropChangeCount(database)
  await replaceSearch(database)
}

const STANDING = sql`role, "emailVerified", banned`
const DAY_COLUMNS = ['createdAt', 'updatedAt']
const dayOf = (column: string) => sql`${sql.ref(column)} / 86400000`

/**
 * Totals of users by role, verification and ban, and by the day (UTC) of their creation and last change. On PostgreSQL a
 * change inserts rows and never updates one, because concurrent sign-ups would wait for each other. The total is the sum
 * of the rows, and maintenance replaces many rows by few.
 */
async function createTallies(database: Kysely<unknown>, isPostgres: boolean): Promise<void> {
  const keyed = (columns: RawBuilder<unknown>) => (isPostgres ? sql`)` : sql`, primary key (${columns})) without rowid`)
  await sql`create table "userStandings" (role text not null, "emailVerified" integer not null,
    banned integer not null, people integer not null${keyed(STANDING)}`.execute(database)
  await sql`create table "userDays" ("column" text not null, day integer not null,
    people integer not null${keyed(sql`"column", day`)}`.execute(database)
}

async function fillTallies(database: Kysely<unknown>): Promise<void> {
  await sql`insert into "userStandings" select ${STANDING}, count(*) from users group by 1, 2, 3`.execute(database)
  for (const column of DAY_COLUMNS) {
    await sql`insert into "userDays" select ${sql.lit(column)}, ${dayOf(column)}, count(*)
      from users group by 2`.execute(database)
  }
}

/** For users of one role, verification or ban, in the default order of the list. */
async function addStandingIndexes(database: Kysely<unknown>, isPostgres: boolean): Promise<void> {
  const order = isPostgres ? sql`"createdAt" nulls first, id collate "C"` : sql`"createdAt", id`
  for (const column of ['role', 'emailVerified', 'banned']) {
    const value = isPostgres && column === 'role' ? sql`role collate "C"` : sql.ref(column)
    await sql`create index ${sql.id(`users_${column}_createdAt`)} on users (${value}, ${order})`.execute(database)
  }
}

async function addPostgresTriggers(database: Kysely<unknown>): Promise<void> {
  const tally = (rows: string, sign: string) => sql`
    insert into "userStandings" select ${STANDING}, ${sql.raw(sign)} count(*) from ${sql.ref(rows)} group by 1, 2, 3;
    insert into "userDays" ${sql.join(
      DAY_COLUMNS.map(
        (column) => sql`select ${sql.lit(column)}, ${dayOf(column)}, ${sql.raw(sign)} count(*)
          from ${sql.ref(rows)} group by 2`,
      ),
      sql` union all `,
    )};`
  await sql`create function users_tally() returns trigger language plpgsql as $$ begin
    if tg_op <> 'DELETE' then ${tally('added', '+')} end if;
    if tg_op <> 'INSERT' then ${tally('removed', '-')} end if;
    return null; end $$`.execute(database)
  for (const [event, tables] of Object.entries({
    insert: 'new table as added',
    update: 'old table as removed new table as added',
    delete: 'old table as removed',
  })) {
    await sql`create trigger ${sql.id(`users_tally_${event}`)} after ${sql.raw(event)} on users
      referencing ${sql.raw(tables)} for each statement execute function users_tally()`.execute(database)
  }
}

async function addSqliteTriggers(database: Kysely<unknown>): Promise<void> {
  const leave = sql.join(
    [
      sql`update "userStandings" set people = people - 1
        where role = old.role and "emailVerified" = old."emailVerified" and banned = old.banned;`,
      ...DAY_COLUMNS.map(
        (column) => sql`update "userDays" set people = people - 1
          where "column" = ${sql.lit(column)} and day = ${dayOf(`old.${column}`)};`,
      ),
    ],
    sql` `,
  )
  const join = sql`
    insert into "userStandings" values (new.role, new."emailVerified", new.banned, 1)
      on conflict do update set people = people + 1;
    insert into "userDays" values ${sql.join(
      DAY_COLUMNS.map((column) => sql`(${sql.lit(column)}, ${dayOf(`new.${column}`)}, 1)`),
    )} on conflict do update set people = people + 1;`
  for (const [event, steps] of Object.entries({ insert: join, update: sql`${leave} ${join}`, delete: leave })) {
    await sql`create trigger ${sql.id(`users_tally_${event}`)} after ${sql.raw(event)} on users
      begin ${steps} end`.execute(database)
  }
}

async function dropChangeCount(database: Kysely<unknown>): Promise<void> {
  for (const event of ['insert', 'update', 'delete']) {
    await sql`drop trigger ${sql.id(`users_count_${event}`)}`.execute(database)
  }
  await sql`drop table "userChanges"`.execute(database)
}

/**
 * Trigrams of names and addresses with their positions (https://sqlite.org/fts5.html, section 4.3.4), so that the index
 * alone finds the users. ASCII letters are lower case, here and in the search. A line feed, which no name and no address
 * has, ends each text. So a search for the end of a text is a search for that end and a line feed.
 */
async function replaceSearch(database: Kysely<unknown>): Promise<void> {
  for (const event of ['insert', 'delete', 'update']) {
    await sql`drop trigger ${sql.id(`users_search_${event}`)}`.execute(database)
  }
  await sql`drop table "usersSearch"`.execute(database)
  await sql`create virtual table "usersSearch" using fts5 (
    name, email, content = '', tokenize = 'trigram case_sensitive 1', detail = full, columnsize = 0)`.execute(database)
  const textsOf = (row: string) =>
    sql`lower(${sql.ref(`${row}.name`)}) || char(10), lower(${sql.ref(`${row}.email`)}) || char(10)`
  await sql`insert into "usersSearch" (rowid, name, email)
    select rowid, ${textsOf('users')} from users not indexed order by rowid`.execute(database)
  const forget = sql`insert into "usersSearch" ("usersSearch", rowid, name, email)
    values ('delete', old.rowid, ${textsOf('old')});`
  const learn = sql`insert into "usersSearch" (rowid, name, email) values (new.rowid, ${textsOf('new')});`
  for (const [event, steps] of Object.entries({
    insert: learn,
    delete: forget,
    'update of name, email': sql`${forget} ${learn}`,
  })) {
    await sql`create trigger ${sql.id(`users_search_${event.split(' ')[0]}`)} after ${sql.raw(event)} on users
      begin ${steps} end`.execute(database)
  }
}
