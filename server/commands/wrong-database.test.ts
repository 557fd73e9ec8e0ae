import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { runInProcess } from '../../test/support/command.ts'
import { postgresForTests, query } from '../../test/support/postgres.ts'
import { newSecret, runAccounts } from '../../test/support/process.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createTestDatabase } from '../../test/support/test-database.ts'
import { readConfig } from '../platform/config/config.ts'
import { openDatabase } from '../platform/database/open.ts'
import type { Tables } from '../platform/database/tables.ts'

const SECRET = newSecret()
/** @param folder for the files that `backup` and `move` would create */
const commandsForData = (folder: string) => [
  ['audit', 'verify'],
  ['emails', 'list'],
  ['emails', 'retry', '--failed'],
  ['keys', 'list'],
  ['keys', 'rotate'],
  ['restore', 'list'],
  ['restore', 'confirm', '--all'],
  ['users', 'reset-two-factor', '--email', 'ada@example.com', '--reason', 'Lost the phone'],
  ['backup', '--to', `${folder}/backup.db`],
  ['move', '--to', `sqlite:${folder}/moved.db`],
]
const someCommandsForData = (folder: string) =>
  commandsForData(folder).filter(([name = '']) => ['audit', 'backup', 'move'].includes(name))

test('A command that needs data refuses a missing database, and creates nothing', async (t) => {
  const folder = createTemporaryFolder(t)
  for (const words of commandsForData(folder))
    assert.match(
      await refused(words, `sqlite:${folder}/acounts.db`),
      /^DATABASE_URL names no database: there is no file .+acounts\.db\.\n$/,
    )
  assert.deepEqual(readdirSync(folder), [])
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`A command that needs data refuses an empty database on ${engine}, and creates no table`, async (t) => {
    const { url, ask } = await newDatabase(t, engine)
    const folder = createTemporaryFolder(t)
    // A file of no bytes counts as missing.
    await ask((database) => sql`create view latest as select 1 as one`.execute(database))
    for (const words of someCommandsForData(folder))
      assert.match(await refused(words, url), /^DATABASE_URL names an empty database\. Set it to/, words.join(' '))
    assert.deepEqual([await ask(listNames), readdirSync(folder)], [['latest'], []])
  })

  test(`Every command refuses a database of another program on ${engine}, and creates no table`, async (t) => {
    const { url, ask } = await newDatabase(t, engine)
    const folder = createTemporaryFolder(t)
    await ask((database) => sql`create table "session" (id integer)`.execute(database))
    const commands = [
      ...someCommandsForData(folder),
      ['start'],
      ['migrate'],
      ['migrate', '--dry-run'],
      ['admin', 'create', '--email', 'ada@example.com', '--name', 'Ada'],
      ['doctor'],
    ]
    for (const words of commands)
      assert.match(
        await refused(words, url),
        /DATABASE_URL names a database of another program: it has the table session, and none of Accounts\./,
        words.join(' '),
      )
    assert.deepEqual([await ask(listNames), readdirSync(folder)], [['session'], []])
  })
}

test('A command that needs data does not migrate a database of an earlier version', async (t) => {
  const { url, ask } = await newDatabase(t, 'sqlite')
  await succeed(['migrate'], url)
  await ask((database) =>
    sql`delete from kysely_migration where name = (select max(name) from kysely_migration)`.execute(database),
  )
  assert.match(await refused(['keys', 'list'], url), /^The database is not up to date\. Run .+ migrate, then/)
  assert.match(await succeed(['migrate', '--dry-run'], url), /^Missing migrations: 1\n/)
})

test('Every command names a file that is no database in one sentence, and leaves it unchanged', async (t) => {
  const folder = createTemporaryFolder(t)
  const path = join(folder, 'accounts.db')
  const text = 'This is a text and no database.'.repeat(200)
  writeFileSync(path, text)
  const commands = [...someCommandsForData(folder), ['start'], ['migrate'], ['migrate', '--dry-run']]
  for (const words of commands)
    assert.match(await refused(words, `sqlite:${path}`), /accounts\.db .*file is not a database\. Check DATABASE_URL/)
  assert.equal(readFileSync(path, 'utf8'), text)
})

test('Every command names a damaged database in one sentence', async (t) => {
  const { url } = await newDatabase(t, 'sqlite')
  await succeed(['migrate'], url)
  const path = url.slice('sqlite:'.length)
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, whole.length / 2))
  for (const words of [['start'], ['migrate'], ['audit', 'verify'], ['keys', 'list'], ['migrate', '--dry-run']])
    assert.match(await refused(words, url), /is damaged, or is no SQLite database: .*malformed/)
})

test('A start names a path at which no file can be created in one sentence', async (t) => {
  const folder = createTemporaryFolder(t)
  symlinkSync(join(folder, 'missing', 'accounts.db'), join(folder, 'link.db'))
  for (const path of [join(folder, 'link.db'), '/proc/self/accounts.db', join(folder, 'a'.repeat(300))])
    assert.match(await refused(['start'], `sqlite:${path}`), /can't be used: E[A-Z]+: .+Check DATABASE_URL/)
})

test('A command that creates a database names it', async (t) => {
  const { url } = await newDatabase(t, 'sqlite')
  const words = ['admin', 'create', '--email', 'ada@example.com', '--name', 'Ada Admin']
  for (const isNew of [true, false])
    assert.equal((await succeed(words, url)).includes(`The database is new: ${url}\n`), isNew)
})

test('Tables of extensions and of other schemas do not make a database one of another program', async (t) => {
  const { url, ask } = await newDatabase(t, 'postgres')
  await ask(async (database) => {
    await sql`create table places (id integer)`.execute(database)
    await sql`alter extension plpgsql add table places`.execute(database)
    await sql`create schema other`.execute(database)
    await sql`create table other.users (id integer)`.execute(database)
  })
  await succeed(['migrate'], url)
})

test('A dry run of migrate and of import refuses a backup', async (t) => {
  const { url } = await newDatabase(t, 'sqlite')
  const file = join(createTemporaryFolder(t), 'backup.db')
  for (const words of [['migrate'], ['backup', '--to', file]]) await succeed(words, url)
  const source = join(createTemporaryFolder(t), 'better-auth.db')
  const betterAuth = new DatabaseSync(source)
  betterAuth.exec(`create table "user" (id, name, email, "emailVerified", "createdAt", "updatedAt");
    create table account (id, "userId", "providerId")`)
  betterAuth.close()
  for (const command of [['migrate'], ['import', '--from', `sqlite:${source}`]])
    assert.match(await refused([...command, '--dry-run'], `sqlite:${file}`), /^DATABASE_URL names a backup/)
})

test("A move names a target that can't be used, and not DATABASE_URL", async (t) => {
  const { url } = await newDatabase(t, 'sqlite')
  await succeed(['migrate'], url)
  const folder = createTemporaryFolder(t)
  writeFileSync(join(folder, 'text.db'), 'This is a text and no database.'.repeat(200))
  symlinkSync(url.slice('sqlite:'.length), join(folder, 'same.db'))
  const { url: server } = await newDatabase(t, 'postgres')
  const unknown = Object.assign(new URL(server), { username: 'nobody_of_this_name' }).href
  const silent = Object.assign(new URL(server), { password: '' }).href
  const missing = Object.assign(new URL(server), { pathname: '/no_such_database' }).href
  for (const [to, sentence] of [
    [`sqlite:${folder}/text.db`, /text\.db is damaged, or is no SQLite database.*Check --to/],
    [`sqlite:${folder}/same.db`, /^--to names the database of DATABASE_URL itself/],
    ['sqlite:/proc/self/accounts.db', /^A file can't be used: .+Check --to/],
    ['postgres://ada@127.0.0.1:1/x', /^The database of --to can't be used: .+the port in --to\.$/m],
    [
      silent,
      /^The database of --to can't be used: it has no password\. The server asks for a password: write it in --to/,
    ],
    [unknown, /^The database of --to can't be used: .+ in --to/],
    [missing, /^The database of --to can't be used: .+no_such_database.+Check the name of the database in --to/],
  ] as const)
    assert.match(await refused(['move', '--to', to], url), sentence)
})

test("A move refuses a role of --to that can't create tables, and accepts it after the grant", async (t) => {
  const { url } = await newDatabase(t, 'sqlite')
  await succeed(['migrate'], url)
  const { url: server } = await newDatabase(t, 'postgres')
  const role = `role_${randomBytes(8).toString('hex')}`
  await query(server, `create role ${role} login password 'hunter2'`)
  t.after(async () => query((await postgresForTests()).url('postgres'), `drop role ${role}`))
  const to = Object.assign(new URL(server), { username: role, password: 'hunter2' }).href
  assert.match(await refused(['move', '--to', to], url), /^The role of --to can't create tables\./)
  await query(server, `grant create on schema public to ${role}`)
  await succeed(['move', '--to', to], url)
})

/** @returns what the command prints */
async function refused(words: string[], DATABASE_URL: string): Promise<string> {
  const { code, text } = await run(words, { DATABASE_URL, SECRET, PORT: '0' })
  assert.equal(code, 1, `${words.join(' ')}: ${text}`)
  assert.doesNotMatch(text, /^ +at /m, words.join(' '))
  return text
}

/** @returns what the command prints */
async function succeed(words: string[], DATABASE_URL: string): Promise<string> {
  const { code, text } = await run(words, { DATABASE_URL, SECRET })
  assert.equal(code, 0, text)
  return text
}

async function run(words: string[], settings: Record<string, string>): Promise<{ code: number | null; text: string }> {
  // A start that is not refused would not end.
  if (words[0] === 'start') {
    const { ended, output } = runAccounts(words, settings)
    return { code: await ended, text: output() }
  }
  const { code, output, errors } = await runInProcess(words, settings)
  return { code, text: `${errors}${output}` }
}

type Ask = <T>(question: (database: Kysely<Tables>) => Promise<T>) => Promise<T>

async function newDatabase(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<{ url: string; ask: Ask }> {
  const { url, drop } = await createTestDatabase(engine)
  t.after(drop)
  const ask: Ask = async (question) => {
    const { database, close } = openDatabase(readConfig({ DATABASE_URL: url, SECRET }).database, () => {})
    return question(database).finally(close)
  }
  return { url, ask }
}

async function listNames(database: Kysely<Tables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  return tables.map(({ name }) => name)
}
