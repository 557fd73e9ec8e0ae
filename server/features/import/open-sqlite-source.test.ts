import assert from 'node:assert/strict'
import fs, { copyFileSync, existsSync, mkdirSync, readdirSync, readlinkSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { runAccounts } from '../../../test/support/process.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { openSource } from './open-source.ts'
import { openSqliteSource } from './open-sqlite-source.ts'

const MODES = ['delete', 'truncate', 'persist', 'wal'] as const

const TABLES = `
  create table "user" (id text primary key, name text, email text, "emailVerified" integer, "createdAt" date, "updatedAt" date);
  create table account (id text, "userId" text, "providerId" text, password text);
  create table session (id text, token text)`

/** A Better Auth that does not wait for locks. */
async function createSource(t: TestContext, mode: (typeof MODES)[number], hasEnded = false) {
  const { url, drop } = await createTestDatabase('sqlite')
  const path = url.slice('sqlite:'.length)
  const betterAuth = new DatabaseSync(path)
  betterAuth.exec(`pragma journal_mode = ${mode}; ${TABLES}`)
  betterAuth.exec(`insert into "user" (id, name) values ('usr_a', 'Ada');
    insert into account values ('acc_a', 'usr_a', 'credential', 'a-hash-of-a-password');
    insert into session values ('ses_a', 'a-token')`)
  if (hasEnded) betterAuth.close()
  t.after(async () => {
    if (betterAuth.isOpen) betterAuth.close()
    await drop()
  })
  return { url, path, betterAuth }
}

for (const mode of MODES) {
  test(`openSource reads one snapshot while Better Auth writes (journal mode ${mode})`, async (t) => {
    const { url, betterAuth } = await createSource(t, mode)
    const source = await openSource(url)
    t.after(() => source.close())
    betterAuth.exec(`update "user" set name = 'Bob'; insert into "user" (id) values ('usr_b'); delete from session`)
    const [user, ...others] = (await Array.fromAsync(source.readUsers())).flat()
    assert.deepEqual([user?.name, user?.accounts[0]?.password, others], ['Ada', 'a-hash-of-a-password', []])
    assert.equal(await source.countUsers(), 1)
    assert.deepEqual(
      (await source.countOtherRows()).map(({ table, count }) => [table, count]),
      [['session', 1]],
    )
  })

  test(`openSource changes nothing in the source (journal mode ${mode})`, async (t) => {
    const { url, betterAuth } = await createSource(t, mode)
    const version = () => betterAuth.prepare('pragma data_version').get()
    const before = version()
    await (await openSource(url)).close()
    assert.deepEqual(version(), before)
    assert.equal(betterAuth.prepare('pragma journal_mode').get()?.journal_mode, mode)
  })
}

test('openSource leaves no file beside a file in WAL mode whose program has ended', async (t) => {
  const { url, path } = await createSource(t, 'wal', true)
  const before = readdirSync(dirname(path))
  assert.deepEqual(before, ['accounts.db'])
  const source = await openSource(url)
  t.after(() => source.close())
  assert.equal(await source.countUsers(), 1)
  assert.deepEqual(readdirSync(dirname(path)), before)
})

for (const isOpen of [true, false])
  test(`openSource reads the change of a program that ${isOpen ? 'begins' : 'begins and ends'} during the copy (WAL mode)`, async (t) => {
    const { url, path } = await createSource(t, 'wal', true)
    // The clock of files may have steps of milliseconds.
    utimesSync(path, 0, 0)
    const { exec } = DatabaseSync.prototype
    const mocked = t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, statement: string) {
      exec.call(this, statement)
      if (!statement.startsWith('commit; detach')) return
      mocked.mock.restore()
      const program = new DatabaseSync(path)
      program.exec(`insert into "user" (id) values ('usr_b')`)
      if (!isOpen) program.close()
      else t.after(() => program.close())
    })
    const source = await openSource(url)
    t.after(() => source.close())
    assert.equal(await source.countUsers(), 2)
  })

test('openSource says what to do with a file whose program was killed during a change', async (t) => {
  const { path, betterAuth } = await createSource(t, 'delete')
  betterAuth.exec(`insert into account (id, password) with recursive numbers (n) as
    (select 1 union all select n + 1 from numbers where n < 500) select n, hex(randomblob(500)) from numbers`)
  // A small cache, so that a part of the change is in the file before the commit.
  betterAuth.exec(`pragma cache_size = 1; begin; update account set password = ''`)
  const killed = join(createTemporaryFolder(t), 'killed.db')
  for (const end of ['', '-journal']) copyFileSync(`${path}${end}`, `${killed}${end}`)
  await assert.rejects(openSource(`sqlite:${killed}`), {
    name: 'SourceError',
    message: 'its last program was killed during a change. Start and stop that program once, and import again',
  })
})

test("openSource advises to run the command as the user of Better Auth when a file can't be opened", async (t) => {
  const { url, path } = await createSource(t, 'wal', true)
  mkdirSync(`${path}-wal`)
  await assert.rejects(openSource(url), {
    name: 'SourceError',
    message: 'unable to open database file. Run the command as the user of Better Auth',
  })
})

test('openSource advises to run the command as the user of Better Auth for a file that only that user may read', async (t) => {
  const { url } = await createSource(t, 'wal', true)
  // The tests may run as root, who may read every file.
  t.mock.method(fs, 'openSync', () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  await assert.rejects(openSource(url), {
    name: 'SourceError',
    message: 'EACCES: permission denied. Run the command as the user of Better Auth',
  })
})

test('openSource reads numbers in columns of texts as texts', async (t) => {
  const { url, betterAuth } = await createSource(t, 'wal')
  betterAuth.exec(`drop table "user"; create table "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", role, image);
    insert into "user" values (1, 2024, 3, 1, 5, 6, 7, null)`)
  const source = await openSource(url)
  t.after(() => source.close())
  const [user] = (await Array.fromAsync(source.readUsers())).flat()
  const { accounts: _, passkeys: __, twoFactors: ___, ...columns } = user ?? {}
  assert.deepEqual(columns, {
    id: '1',
    name: '2024',
    email: '3',
    emailVerified: 1,
    createdAt: 5,
    updatedAt: 6,
    role: '7',
    image: null,
  })
})

for (const mode of ['delete', 'wal'] as const)
  test(`openSource refuses binary data in columns of flags, times and numbers (journal mode ${mode})`, async (t) => {
    const { url, betterAuth } = await createSource(t, mode)
    betterAuth.exec(`create table passkey (id text, "userId" text, "publicKey" text, "credentialID" text, "Counter" integer,
      "deviceType" text, "backedUp" integer)`)
    // The last one is JSON in the binary form of SQLite: true.
    for (const blob of ["x'31'", "x'616263'", "x'01'"])
      for (const [table, column, statement] of [
        ['user', 'emailVerified', `update "user" set "emailVerified" = ${blob}`],
        ['user', 'createdAt', `update "user" set "createdAt" = ${blob}`],
        ['passkey', 'counter', `insert into passkey ("Counter") values (${blob})`],
      ] as const) {
        betterAuth.exec(`begin; ${statement}; commit`)
        await assert.rejects(openSource(url), {
          name: 'SourceError',
          message: `its table "${table}" has binary data (BLOB) in the column "${column}": write a number, a text or null there`,
        })
        betterAuth.exec(`update "user" set "emailVerified" = 1, "createdAt" = 1; delete from passkey`)
      }
    await (await openSource(url)).close()
  })

for (const mode of ['delete', 'wal'] as const)
  test(`openSource reads views, generated columns and names in another case (journal mode ${mode})`, async (t) => {
    const { url, betterAuth } = await createSource(t, mode)
    betterAuth.exec(`alter table "user" add column "Banned" integer generated always as (name = 'Ada');
      create table teams (id text, name text, slug text, "createdAt" date);
      insert into teams (id) values ('org_a');
      create view "Organization" as select * from teams;
      create view broken as select * from gone`)
    const source = await openSource(url)
    t.after(() => source.close())
    const [user] = (await Array.fromAsync(source.readUsers())).flat()
    const [organization] = (await Array.fromAsync(source.readOrganizations())).flat()
    assert.deepEqual([user?.banned, organization?.id], [1, 'org_a'])
  })

for (const mode of ['delete', 'wal'] as const)
  test(`A virtual table whose module is missing is no obstacle (journal mode ${mode})`, async (t) => {
    const { url, path } = await createSource(t, mode)
    const program = new DatabaseSync(path, { defensive: false })
    program.exec(`pragma writable_schema = on;
      insert into sqlite_schema values ('table', 'chunks', 'chunks', 0, 'CREATE VIRTUAL TABLE chunks USING vec0(a)')`)
    program.close()
    const source = await openSource(url)
    t.after(() => source.close())
    assert.equal(await source.countUsers(), 1)
  })

test('No file of a copy has a name: a crash leaves no hashes on the disk', {
  skip: !existsSync('/proc/self/fd'),
}, async (t) => {
  const { url, path, betterAuth } = await createSource(t, 'delete')
  // More than fits into the memory of a connection, so that the copy is on the disk.
  betterAuth.exec(`insert into account (id, password) with recursive numbers (n) as
    (select 1 union all select n + 1 from numbers where n < 10000) select n, hex(randomblob(500)) from numbers`)
  const source = await openSource(url)
  t.after(() => source.close())
  const files = listOpenFiles()
  assert.ok(files.includes(path), 'Better Auth has its file open')
  const copies = files.filter((file) => file.includes('etilqs'))
  assert.equal(copies.length, 1)
  assert.match(copies[0] ?? '', / \(deleted\)$/)
})

test('An import without room for its temporary copy names TMPDIR, and not the source', async (t) => {
  const { url, betterAuth } = await createSource(t, 'delete')
  betterAuth.exec(`insert into account (id, password) with recursive numbers (n) as
    (select 1 union all select n + 1 from numbers where n < 10000) select n, hex(randomblob(500)) from numbers`)
  const DATABASE_URL = `sqlite:${createTemporaryFolder(t)}/accounts.db`
  const words = ['import', '--from', url, '--dry-run']
  const { ended, output } = runAccounts(words, { DATABASE_URL }, { fileBytesMaximum: 1024 * 1024 })
  assert.equal(await ended, 1)
  assert.match(
    output(),
    /^The source can't be imported: temporary files can't be written: .*set it to another folder\.$/m,
  )
})

function listOpenFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      // A descriptor that was listed may be closed by now: the one that listed the folder is.
      return []
    }
  })
}

test('openSource waits for another program that locks the file, and then names the reason', async (t) => {
  const { path, betterAuth } = await createSource(t, 'delete')
  betterAuth.exec('begin exclusive')
  assert.throws(() => openSqliteSource(path, 50), { name: 'SourceError', message: /another program locks it/ })
  betterAuth.exec('commit')
  await openSqliteSource(path, 50).close()
})
