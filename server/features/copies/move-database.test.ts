import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type Kysely, type KyselyPlugin, sql } from 'kysely'
import { runInProcess } from '../../../test/support/command.ts'
import { createInstallation } from '../../../test/support/copies.ts'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import { assertAuditLogWhole, populate, tryCredentials } from '../../../test/support/populated.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Engine } from '../../../test/support/test-database.ts'
import { until } from '../../../test/support/until.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { seedUsers } from '../../core/users/seed-users.ts'
import { copyInto } from '../../platform/database/copy/copy-into.ts'
import { beginCopy } from '../../platform/database/copy/copy-state.ts'
import { describeDatabase } from '../../platform/database/copy/describe-database.ts'
import { verifyCopy } from '../../platform/database/copy/verify-copy.ts'
import { migrate, readMigrationState } from '../../platform/database/migrate.ts'
import { MIGRATIONS } from '../../platform/database/migration.ts'
import { listTables } from '../../platform/database/own-tables.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import { moveDatabase } from './move-database.ts'

test('After a move from SQLite to PostgreSQL, and from there back, every credential works', async (t) => {
  const installation = await createInstallation(t)
  const databases = await Promise.all(
    (['sqlite', 'postgres', 'sqlite'] as const).map((engine) => installation.createDatabase(engine)),
  )
  let service = await installation.start(databases[0] ?? '')
  const population = await populate(service)
  await service.stop()
  for (const round of [1, 2]) {
    const [source = '', target = ''] = databases.slice(round - 1)
    assert.match(await installation.run(source, moveCommand, '--to', target), /every row is verified/)
    service = await installation.start(target, round * MINUTE_MILLISECONDS)
    const { boss, passkeyUser, totpUser } = population
    assert.deepEqual(await tryCredentials(service, population), {
      session: boss.email,
      impersonated: passkeyUser.email,
      passkey: passkeyUser.email,
      apiKey: 200,
      totp: totpUser.email,
      refreshToken: 200,
      invitation: 200,
    })
    const found = await boss.client.get(`/api/auth/admin/list-users?searchValue=${totpUser.email}&searchField=email`)
    assert.equal(found.body.total, 1, 'the search index has the users')
    await assertAuditLogWhole(service)
    const moved = await service.context.database
      .selectFrom('auditEvents')
      .select(['userAgent', 'details'])
      .where('action', '=', 'database.moved')
      .execute()
    assert.equal(moved.length, round)
    assert.equal(moved[0]?.userAgent, 'command line')
    await service.stop()
  }
})

test('A move from a database with a secret file says that its text is SECRET', async (t) => {
  const [source, target] = [createTemporaryFolder(t), createTemporaryFolder(t)]
  const environment = { DATABASE_URL: `sqlite:${source}/accounts.db` }
  assert.equal((await runInProcess(['migrate'], environment)).code, 0)
  const to = `sqlite:${target}/accounts.db`
  const { code, output, errors } = await runInProcess(['move', '--to', to], environment)
  assert.equal(code, 0, errors)
  assert.ok(output.includes(`set it to the text of the file ${source}/secret, or have it in the file ${target}/secret`))
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`A move from ${engine} refuses a source that a service uses`, async (t) => {
    const { installation, source, target } = await prepare(t, engine)
    const service = await installation.start(source)
    await administratorWithOrganization(service)
    await assert.rejects(installation.run(source, moveCommand, '--to', target), /Stop every process/)
    await service.stop()
    await installation.run(source, moveCommand, '--to', target)
  })
}

test('A move from PostgreSQL is refused at its end when another process has connected to the source', async (t) => {
  const { installation, source, target } = await prepare(t, 'postgres')
  const [from, to, other] = [installation.open(source), installation.open(target), installation.open(source)]
  t.after(() => Promise.all([from.close(), to.close(), other.close()]))
  let connecting: Promise<unknown> | undefined
  const connect = () => {
    connecting ??= other.context.database.selectFrom('users').select('id').execute()
  }
  const waitForOther: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await connecting
      return result
    },
  }
  const context = { ...from.context, database: from.context.database.withPlugin(waitForOther) }
  await assert.rejects(moveDatabase(context, to.context, connect), /Stop every process/)
  await Promise.all([from.close(), other.close()])
  assert.match(await installation.run(source, moveCommand, '--to', target), /every row is verified/)
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`A move from ${engine} does not migrate a source that another process uses`, async (t) => {
    const installation = await createInstallation(t)
    const [source, target] = [await installation.createDatabase(engine), await installation.createDatabase('sqlite')]
    const { context, close } = installation.open(source)
    t.after(close)
    const older = Object.entries(MIGRATIONS).filter(([name]) => name < '0021')
    await migrate(context.database, Object.fromEntries(older))
    await assert.rejects(installation.run(source, moveCommand, '--to', target), /Stop every process/)
    assert.equal(await readMigrationState(context.database), 'behind')
  })
}

test('A move refuses a target with data, and the unfinished copy of another source', async (t) => {
  const { installation, source, target } = await prepare(t)
  await installation.run(target, migrateCommand)
  await assert.rejects(installation.run(source, moveCommand, '--to', target), /The target is not empty: secretGen/)
  const { context, close } = installation.open(target)
  t.after(close)
  await context.database.deleteFrom('secretGenerations').execute()
  await beginCopy(context.database, { kind: 'move', source: 'sqlite:/elsewhere.db' })
  await assert.rejects(
    installation.run(source, moveCommand, '--to', target),
    /unfinished move of sqlite:\/elsewhere\.db/,
  )
  await assert.rejects(installation.run(target, migrateCommand), /unfinished target of a move.*elsewhere/)
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`A move refuses a target on ${engine} with a table of another program, and changes nothing`, async (t) => {
    const { installation, source, target } = await prepare(t, engine === 'sqlite' ? 'postgres' : 'sqlite')
    const { context, close } = installation.open(target)
    const { database } = context
    await sql`create table notes (text text)`.execute(database)
    const moving = () => installation.run(source, moveCommand, '--to', target)
    await assert.rejects(moving(), /The target is not empty: it has the table notes/)
    const tables = (await database.introspection.getTables()).map(({ name }) => name)
    assert.deepEqual(tables, ['notes'])
    await sql`create view latest as select 1 as one`.execute(database)
    if (engine === 'postgres') {
      await sql`create schema other`.execute(database)
      await sql`create table other.users (id int)`.execute(database)
    }
    await sql`drop table notes`.execute(database)
    await close()
    assert.match(await moving(), /every row is verified/)
  })
}

test('A move names a row that was altered after it was copied, and starts over when it is run again', async (t) => {
  const { installation, source, target } = await prepare(t)
  const from = installation.open(source)
  const to = installation.open(target)
  t.after(async () => {
    await to.close()
    await from.close()
  })
  const copy = { kind: 'move', source: describeDatabase(from.context.config.database) } as const
  await seedUsers(from.context, 1_200, () => {})
  const { database } = to.context
  await copyInto(database, copy, from.context.database, () => {})
  const { id } = await database.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow()
  await database.updateTable('users').set({ name: 'Mallory' }).where('id', '=', id).execute()
  const compare = verifyCopy(from.context.database, database, () => {})
  await assert.rejects(compare, new RegExp(`row ${id} of users`))
  await database.deleteFrom('users').where('id', '=', id).execute()
  await from.close()
  await to.close()
  await installation.run(source, moveCommand, '--to', target)
})

test('A move continues after a kill during the migration of the target, and refuses an older target with data', async (t) => {
  const { installation, source, target } = await prepare(t)
  const { context, close } = installation.open(target)
  t.after(close)
  const older = Object.entries(MIGRATIONS).filter(([name]) => name < '0021')
  await migrate(context.database, Object.fromEntries(older))
  await seedUsers(context, 1, () => {})
  await assert.rejects(installation.run(source, moveCommand, '--to', target), /not empty: users has rows/)
  assert.equal(await readMigrationState(context.database), 'behind', 'a database in use is not migrated')
  await context.database.deleteFrom('users').execute()
  await installation.run(source, moveCommand, '--to', target)
})

async function prepare(t: TestContext, engine: Engine = 'sqlite') {
  const installation = await createInstallation(t)
  const source = await installation.createDatabase(engine)
  await installation.run(source, migrateCommand)
  return {
    installation,
    source,
    target: await installation.createDatabase(engine === 'sqlite' ? 'postgres' : 'sqlite'),
  }
}

test("A move from SQLite names the rows that PostgreSQL can't store", async (t) => {
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('postgres')]
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await seedUsers(context, 3, () => {})
  await sql`update users set name = 'Ada' || char(0)`.execute(context.database)
  await close()
  await assert.rejects(
    installation.run(source, moveCommand, '--to', target),
    /can't store rows of users, from usr_\w+ to usr_\w+: invalid byte sequence/,
  )
})

test("A move shows no whole hash of a row that PostgreSQL can't store", async (t) => {
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('postgres')]
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await sql`insert into "emailLimits" (key, "usedAt") values ('abcdefgh' || char(0), 1)`.execute(context.database)
  await close()
  await assert.rejects(
    installation.run(source, moveCommand, '--to', target),
    /can't store rows of emailLimits, from abcd… to abcd…: /,
  )
})

test('Of two copies that begin concurrently, one is refused with a sentence', async (t) => {
  const installation = await createInstallation(t)
  const target = await installation.createDatabase('postgres')
  const [one, other] = [installation.open(target), installation.open(target)]
  t.after(async () => {
    await one.close()
    await other.close()
  })
  await migrate(one.context.database)
  const begin = ({ context }: typeof one) => beginCopy(context.database, { kind: 'move', source: 'sqlite:/here.db' })
  const held = await holdTransaction(
    t,
    target,
    `insert into "copyState" (id, kind, source) values (1, 'move', 'sqlite:/here.db')`,
  )
  const waiting = begin(other)
  await until(() => waitsForLock(one.context.database), 'the other copy waits')
  held()
  await assert.rejects(waiting, /Another process copies into this database/)
  await begin(one)
})

async function waitsForLock(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database)
  return rows.length > 0
}

test('A move refuses a source that does not exist, and a wrong target, without its password', async (t) => {
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await assert.rejects(installation.run(source, moveCommand, '--to', 'sqlite:./x.db'), /there is no file/)
  await assert.rejects(installation.run(source, moveCommand), /--to, the address of an empty database, is needed/)
  const wrong = installation.run(source, moveCommand, '--to', 'postgres://ada:hidden@host:port/x')
  await assert.rejects(
    wrong,
    (error: Error) => /--to is not an address/.test(error.message) && !/hidden/.test(error.message),
  )
})

test('A move from a SQLite database whose index lacks a row is refused before it copies', async (t) => {
  const { installation, source, target } = await prepare(t, 'sqlite')
  const database = new DatabaseSync(source.slice('sqlite:'.length), { defensive: false })
  database.exec(`insert into "emailLimits" values ('ada@example.com', 1);
    create index hiding on "emailLimits" (key) where key = 'ada@example.com';
    insert into "emailLimits" values ('ben@example.com', 1);
    pragma writable_schema = on;
    update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'hiding')
      where name = 'sqlite_autoindex_emailLimits_1';
    delete from sqlite_schema where name = 'hiding'`)
  database.close()
  await assert.rejects(installation.run(source, moveCommand, '--to', target), /is damaged: .*run reindex in sqlite3/)
  const { context, close } = installation.open(target)
  t.after(close)
  assert.deepEqual(await listTables(context.database), [])
})
