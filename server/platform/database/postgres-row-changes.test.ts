import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { query, startPostgres } from '../../../test/support/postgres.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { administratorWithOrganization, member, newMember, signedIn } from '../../../test/support/users.ts'
import { CHANGE_ROW_TRIGGERS, listSilentTriggers, WATCHED_TABLES } from './change-row-triggers.ts'
import { openForService } from './postgres.ts'
import { DeadlineClient } from './postgres-client.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import type { DeadlinePool } from './postgres-pool.ts'
import type { RowChanges } from './row-changes.ts'
import type { Tables } from './tables.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Watches every table on connections of its own, as another process does. */
async function watchChanges(t: { after(end: () => unknown): void }, { config }: Service) {
  if (config.database.engine !== 'postgres') throw new Error('This is about PostgreSQL')
  const opened = openForService({ hosts: new PostgresHosts(config.database.url), onConnectionLost: () => {} }, {})
  t.after(() => opened.close())
  const { rowChanges } = opened
  let changes: string[] = []
  for (const [table, { keyColumn, events }] of WATCHED_TABLES)
    rowChanges.watch(table, keyColumn, (key) => changes.push(`${table} ${key ?? '*'}`), events)
  const read = async (): Promise<string[]> => {
    changes = []
    await rowChanges.catchUp()
    return changes.toSorted()
  }
  await read()
  // The first reading finds no epoch in a new database, and the second one can't compare.
  await read()
  return { read, rowChanges }
}

const EVERYTHING = [...WATCHED_TABLES.keys()].map((table) => `${table} *`).toSorted()

async function postgresService(t: { after(end: () => unknown): void }): Promise<Service> {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  return service
}

/** Other statements of the process go on. @returns the statement and the parameters of each reading */
function recordReadings({ mock }: TestContext, pauseMilliseconds = 0): unknown[][] {
  const readings: unknown[][] = []
  const { query } = DeadlineClient.prototype
  mock.method(DeadlineClient.prototype, 'query', async function (this: DeadlineClient, ...statement: [string]) {
    if (statement[0].includes('pg_current_snapshot')) {
      readings.push(statement)
      if (pauseMilliseconds > 0) await pause(pauseMilliseconds)
    }
    return query.apply(this, statement)
  })
  return readings
}

test('A reading reports each commit once: changes, deletions with their cascades, and TRUNCATE', async (t) => {
  const service = await postgresService(t)
  const { database } = service.context
  const founder = await administratorWithOrganization(service)
  const hire = await member(service, founder)
  const { tokenHash } = await database
    .selectFrom('sessions')
    .select('tokenHash')
    .where('userId', '=', hire.id)
    .executeTakeFirstOrThrow()
  const { read } = await watchChanges(t, service)
  assert.deepEqual(await read(), [])

  await database.updateTable('users').set({ name: 'New' }).where('id', '=', hire.id).execute()
  assert.deepEqual(await read(), [`users ${hire.id}`])
  assert.deepEqual(await read(), [])
  await database.deleteFrom('users').where('id', '=', hire.id).execute()
  assert.deepEqual(await read(), [`members ${hire.id}`, `sessions ${tokenHash}`, `users ${hire.id}`])
  await sql`truncate sessions cascade`.execute(database)
  assert.deepEqual(await read(), EVERYTHING, 'TRUNCATE gives a table a new file')
  const { id } = founder.organization
  await database.updateTable('organizations').set({ name: 'Other' }).where('id', '=', id).execute()
  await sql`update "signingKeys" set "activeAt" = "activeAt"`.execute(database)
  const changes = await read()
  assert.equal(changes[0], `organizations ${id}`)
  assert.match(changes[1] ?? '', /^signingKeys key_/)
})

test('A reading reports transactions in the order of their commits, not of their beginnings', async (t) => {
  const service = await postgresService(t)
  const { database } = service.context
  const users = await Promise.all(['one', 'two', 'three'].map(async () => newMember(service)))
  const [early, late, undone] = users.map(({ id }) => id) as [string, string, string]
  const { read } = await watchChanges(t, service)
  const rename = (on: Kysely<Tables>, id: string) =>
    on.updateTable('users').set({ name: 'New' }).where('id', '=', id).execute()

  await database.transaction().execute(async (transaction) => {
    await rename(transaction, early)
    assert.deepEqual(await read(), [], 'an uncommitted change')
    await rename(database, late)
    assert.deepEqual(await read(), [`users ${late}`])
    await sql`savepoint inner_transaction`.execute(transaction)
    await sql`update users set name = 'Newer' where id = ${early}`.execute(transaction)
  })
  assert.deepEqual([...new Set(await read())], [`users ${early}`], 'began before the last reading, and ended after it')
  const failing = database.transaction().execute(async (transaction) => {
    await rename(transaction, undone)
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)
  assert.deepEqual(await read(), [])
})

test('A process that may have missed change rows is told that everything may have changed', async (t) => {
  const service = await postgresService(t)
  const { database } = service.context
  await administratorWithOrganization(service)
  const { read } = await watchChanges(t, service)
  const change = () => sql`update users set name = name`.execute(database)

  await change()
  await sql`update "rowChangePurges" set "purgedBefore" = pg_snapshot_xmax(pg_current_snapshot())`.execute(database)
  assert.deepEqual(await read(), EVERYTHING, 'purged rows')
  await sql`update "rowChangePurges" set "purgedBefore" = '0'`.execute(database)
  assert.deepEqual(await read(), [])

  await sql`insert into "rowChanges" ("tableName", "key") select 'users', 'usr_' || i from generate_series(1, 1001) as i`.execute(
    database,
  )
  assert.deepEqual(await read(), EVERYTHING, 'more changes than a reading lists')

  await change()
  await sql`truncate "rowChanges"`.execute(database)
  assert.deepEqual(await read(), EVERYTHING, 'change rows that an operator deleted')

  await sql`truncate "rowChangeEpochs"`.execute(database)
  assert.deepEqual(await read(), EVERYTHING, 'a crash empties unlogged tables')
  assert.deepEqual(await read(), EVERYTHING, 'the first reading of the new epoch')
  assert.deepEqual(await read(), [])

  await sql`alter table users alter column name type text using 'rewritten'`.execute(database)
  assert.deepEqual(await read(), EVERYTHING, 'a column that an operator rewrote')

  await sql`alter table "signingKeys" rename to "formerKeys"`.execute(database)
  await assert.rejects(read(), /"signingKeys" does not exist/)
  await sql`create table "signingKeys" (like "formerKeys" including all)`.execute(database)
  assert.deepEqual(await read(), EVERYTHING, 'a table that was replaced')

  await sql`drop table "rowChanges" cascade`.execute(database)
  const { read: readElsewhere } = await watchChanges(t, service)
  assert.deepEqual(await readElsewhere(), EVERYTHING, 'an engine without change rows')
})

test('A database that was replaced by an earlier copy of itself makes everything count as changed', async (t) => {
  const service = await postgresService(t)
  const { read } = await watchChanges(t, service)
  const url = new URL(service.config.database.engine === 'postgres' ? service.config.database.url : '')
  const name = url.pathname.slice(1)
  const administer = async (...statements: string[]) => {
    for (const statement of statements)
      await query(Object.assign(new URL(url), { pathname: '/postgres' }).href, statement)
  }
  const disconnect = [
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ]
  const copy = [`create database ${name}_copy template ${name}`, `alter database ${name} allow_connections true`]
  const replace = [
    `alter database ${name} rename to ${name}_former`,
    `alter database ${name}_copy rename to ${name}`,
    `drop database ${name}_former`,
  ]
  await administer(...disconnect, ...copy)
  assert.deepEqual(await read(), [], 'the copy was made from it')
  await administer(...disconnect, ...replace)
  assert.deepEqual(await read(), EVERYTHING)
})

test('After an operator restores the files of a stopped server, everything counts as changed', async (t) => {
  const postgres = await startPostgres({ durable: true })
  t.after(() => postgres.stop())
  const { url } = await postgres.createDatabase()
  const service = await startService({ engine: 'postgres', environment: { DATABASE_URL: url } })
  t.after(() => service.stop())
  await administratorWithOrganization(service)
  const { read } = await watchChanges(t, service)
  const change = () => query(url, 'update users set name = name')
  const epoch = async () => (await query<{ epoch: string }>(url, 'select epoch from "rowChangeEpochs"'))[0]?.epoch
  const whileStopped = async (command: string) => {
    await postgres.shutDown()
    execFileSync('sh', ['-c', command], { cwd: postgres.cluster.folder })
    await postgres.restart()
  }
  await whileStopped('cp -a data former')
  for (let count = 0; count < 10; count += 1) await change()
  await read()
  const before = await epoch()
  await whileStopped('rm -r data && mv former data')
  // Its transaction id is lower than those that the process has read.
  await change()
  assert.equal(await epoch(), before, 'a stop empties no unlogged table')
  assert.deepEqual(await read(), EVERYTHING)
})

test('A reading finds its rows by the index in a table that PostgreSQL has not analyzed yet', async (t) => {
  const service = await postgresService(t)
  const { database } = service.context
  await sql`alter table "rowChanges" set (autovacuum_enabled = false)`.execute(database)
  const { read } = await watchChanges(t, service)
  const readings = recordReadings(t)
  await read()
  assert.equal(readings.length, 1)
  const [text, [snapshot]] = readings[0] as [string, [string]]
  for (let count = 0; count < 4; count += 1)
    await sql`insert into "rowChanges" ("tableName", "key") select 'users', i from generate_series(1, 5000) as i`.execute(
      database,
    )
  const { rows } = await sql<{ plan: string }>`explain ${sql.raw(text.replaceAll('$1', `'${snapshot}'`))}`.execute(
    database,
  )
  assert.doesNotMatch(JSON.stringify(rows), /Seq Scan on \\"rowChanges\\"/)
})

test('Requests of one turn share a reading that is sent after the last of them', async (t) => {
  const service = await postgresService(t)
  const { rowChanges } = await watchChanges(t, service)
  const readings = recordReadings(t)
  const first = Array.from({ length: 50 }, () => rowChanges.catchUp())
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.equal(readings.length, 1, 'sent')
  const second = Array.from({ length: 50 }, () => (rowChanges as RowChanges).catchUp())
  await Promise.all([...first, ...second])
  assert.equal(readings.length, 2, 'requests that arrive after a reading was sent need another one')
})

test('A connection to PostgreSQL keeps the plan of the reading', async (t) => {
  const service = await postgresService(t)
  const { rowChanges } = await watchChanges(t, service)
  const pool = Reflect.get(rowChanges, 'pool') as DeadlinePool
  for (let count = 0; count < 20; count += 1) await rowChanges.catchUp()
  const { rows } = await pool.query('select statement, generic_plans from pg_prepared_statements')
  assert.equal(rows.length, 1)
  assert.match(rows[0].statement, /from "rowChanges"/)
  assert.ok(rows[0].generic_plans > 0)
})

test('A request waits for a slow reading no longer than its time for the database', async (t) => {
  const service = await postgresService(t)
  const { rowChanges } = await watchChanges(t, service)
  recordReadings(t, 1_000)
  const late = withTimeBudget(newTimeBudget(50), async () => rowChanges.catchUp())
  await assert.rejects(late, DatabaseUnavailable)
  const budget = newTimeBudget()
  await withTimeBudget(budget, () => rowChanges.catchUp())
  assert.ok(budget.leftMilliseconds < newTimeBudget().leftMilliseconds - 900, 'the request pays for its wait')
})

test('A caller whose session is checked between a commit and the next reading is not cached', async (t) => {
  const service = await postgresService(t)
  const { email, id } = await newMember(service)
  const { client } = await signedIn(service, email)
  const { database } = service.context
  for (let round = 0; round < 50; round += 1) {
    const name = `Round ${'x'.repeat(round + 1)}`
    const checks = Array.from({ length: 5 }, () => client.get('/api/auth/get-session'))
    await database.updateTable('users').set({ name }).where('id', '=', id).execute()
    assert.equal((await client.get('/api/auth/get-session')).body.user.name, name)
    await Promise.all(checks)
    assert.equal((await client.get('/api/auth/get-session')).body.user.name, name)
  }
})

test('A crash of the server, which PgBouncer can hide from a process, makes everything count as changed', async (t) => {
  const postgres = await startPostgres({ durable: true })
  t.after(() => postgres.stop())
  const { url } = await postgres.createDatabase()
  const service = await startService({ engine: 'postgres', environment: { DATABASE_URL: url } })
  t.after(() => service.stop())
  const { read } = await watchChanges(t, service)
  assert.deepEqual(await read(), [])
  const { database } = service.context
  const startedAt = async () => (await sql`select pg_postmaster_start_time()::text as time`.execute(database)).rows
  const before = await startedAt()
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database)
  process.kill(rows[0]!.pid, 'SIGKILL')
  let changes: string[] = []
  await until(async () => {
    changes = await read().catch(() => [])
    return changes.length > 0
  }, 'the server has recovered')
  assert.deepEqual(changes, EVERYTHING)
  assert.deepEqual(await startedAt(), before, 'the server itself has not restarted')
})

test('A request reads the commits once for its session, its membership and the signing keys', async (t) => {
  const service = await postgresService(t)
  const { client, organization } = await administratorWithOrganization(service)
  const getToken = () => client.get(`/api/token?org=${organization.slug}`)
  for (let count = 0; count < 3; count += 1) assert.equal((await getToken()).status, 200)
  const query = t.mock.method(DeadlineClient.prototype, 'query')
  assert.equal((await getToken()).status, 200)
  const statements = query.mock.calls.map((call) => String(call.arguments[0]))
  assert.equal(statements.length, 1, statements.join('\n'))
  assert.match(statements[0] ?? '', /pg_current_snapshot/)
})

test("While the epoch can't be stored because the disk is full, sessions are looked up and no change is missed", async (t) => {
  const service = await postgresService(t)
  const { client, id } = await administratorWithOrganization(service)
  const { database } = service.context
  await sql`create function refuse() returns trigger language plpgsql as $$
    begin raise exception using errcode = 'disk_full'; end $$`.execute(database)
  await sql`create trigger refuse before insert on "rowChangeEpochs" for each row execute function refuse()`.execute(
    database,
  )
  await sql`delete from "rowChangeEpochs"`.execute(database)
  for (const name of ['Ada One', 'Ada Two', 'Ada Three']) {
    await database.updateTable('users').set({ name }).where('id', '=', id).execute()
    const { status, body } = await client.get('/api/auth/get-session')
    assert.deepEqual([status, body.user?.name], [200, name])
  }
})

test('A change in a session with session_replication_role = replica writes its change rows', async (t) => {
  const service = await postgresService(t)
  const { id } = await administratorWithOrganization(service)
  const { read } = await watchChanges(t, service)
  await service.context.database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction)
    await transaction.updateTable('users').set({ name: 'Ada Loaded' }).where('id', '=', id).execute()
  })
  assert.deepEqual(await read(), [`users ${id}`])
})

for (const [what, statement] of [
  ['disabled', 'alter table users disable trigger users_update_recorded'],
  ['missing', 'drop trigger users_update_recorded on users'],
] as const)
  test(`A process that starts while a trigger is ${what} looks sessions up, and doctor names the trigger`, async (t) => {
    const service = await postgresService(t)
    const { id, token } = await administratorWithOrganization(service)
    const { database } = service.context
    assert.deepEqual(await listSilentTriggers(database), [])
    await sql.raw(statement).execute(database)
    assert.deepEqual(await listSilentTriggers(database), ['users_update_recorded'])
    const later = await startService({ engine: 'postgres', beside: service })
    t.after(() => later.stop())
    const client = bearerClient(later, { token })
    for (const name of ['Ada One', 'Ada Two', 'Ada Three', 'Ada Four']) {
      await database.updateTable('users').set({ name }).where('id', '=', id).execute()
      assert.equal((await client.get('/api/auth/get-session')).body.user.name, name)
    }
  })

test('The list of triggers without which nothing is cached contains every trigger of change rows', async (t) => {
  const { database } = (await postgresService(t)).context
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger where tgname like '%\\_recorded'`.execute(database)
  assert.deepEqual(rows.map(({ name }) => name).sort(), CHANGE_ROW_TRIGGERS.toSorted())
})
