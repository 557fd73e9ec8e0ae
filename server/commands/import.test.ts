import assert from 'node:assert/strict'
import { hash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { symmetricEncrypt } from 'better-auth/crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type BetterAuth, startBetterAuth } from '../../test/support/better-auth.ts'
import { makeScene, post, signUpAtSource } from '../../test/support/better-auth-scene.ts'
import { newSecret, runAccounts } from '../../test/support/process.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createTestDatabase, type Engine } from '../../test/support/test-database.ts'
import { importFromBetterAuth } from '../features/import/import-from-better-auth.ts'
import { openSource as openBetterAuth } from '../features/import/open-source.ts'
import { type Config, readConfig } from '../platform/config/config.ts'
import { listPendingMigrations, migrate } from '../platform/database/migrate.ts'
import { MIGRATIONS } from '../platform/database/migration.ts'
import { type OpenDatabase, openDatabase } from '../platform/database/open.ts'
import { openMigrated } from './prepare.ts'

const BASE_URL = 'http://localhost:3000'
const ENGINES = ['sqlite', 'postgres'] as const

const USER_COUNT = 2_000
const ORGANIZATION_COUNT = 250

interface Target {
  config: Config
  /** Starts the command line on this database. */
  start(...words: string[]): ReturnType<typeof runAccounts>
  /** @returns the output; fails unless the exit code is as expected */
  run(words: string[], expectedCode?: number): Promise<string>
  database: OpenDatabase['database']
}

async function openTarget(t: TestContext, engine: Engine): Promise<Target> {
  const testDatabase = await createTestDatabase(engine)
  const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret(), BASE_URL }
  const config = readConfig(environment)
  const opened = openDatabase(config.database, () => {})
  t.after(async () => {
    await opened.close()
    await testDatabase.drop()
  })
  const start = (...words: string[]) => runAccounts(words, environment)
  return {
    config,
    database: opened.database,
    start,
    async run(words, expectedCode = 0) {
      const running = start(...words)
      const [code] = await Promise.all([running.ended, once(running.child, 'close')])
      assert.equal(code, expectedCode, running.output())
      return running.output()
    },
  }
}

async function openSource(t: TestContext, engine: Engine, hasPlugins = true): Promise<BetterAuth> {
  const source = await startBetterAuth({ engine, baseUrl: BASE_URL, hasPlugins })
  t.after(() => source.stop())
  return source
}

/** Imports in this process. */
async function importHere({ config }: Target, { url }: BetterAuth): Promise<void> {
  const { context, close } = await openMigrated(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
  const source = await openBetterAuth(url)
  await importFromBetterAuth(context, source, () => {}, [])
  await source.close()
  await close()
}

/** A hash of each table that `fill` fills, without the ids and times that an import chooses. */
async function contentsOf({ database }: Target): Promise<Record<string, string>> {
  const tables = {
    users: database.selectFrom('users').selectAll(),
    accounts: database.selectFrom('accounts').select(['userId', 'passwordHash']),
    passkeys: database.selectFrom('passkeys').select(['userId', 'credentialID', 'name']),
    organizations: database.selectFrom('organizations').selectAll(),
    members: database.selectFrom('members').select(['userId', 'organizationId', 'role']),
    invitations: database.selectFrom('invitations').select(['id', 'organizationId', 'email', 'role', 'status']),
    apiKeys: database.selectFrom('apiKeys').select(['id', 'organizationId', 'name', 'keyHash']),
    auditEvents: database.selectFrom('auditEvents').select(['action', 'subjectId', 'organizationId', 'details']),
  }
  const hashes: [string, string][] = []
  for (const [table, rows] of Object.entries(tables)) {
    const sorted = (await rows.execute()).map((row) => JSON.stringify(row)).sort()
    hashes.push([table, hash('sha256', sorted.join())])
  }
  return Object.fromEntries(hashes)
}

for (const engine of ENGINES) {
  test(`A dry run lists what an import brings, and changes nothing (${engine})`, async (t) => {
    const source = await openSource(t, 'sqlite')
    const target = await openTarget(t, engine)
    const { id } = await signUpAtSource(source, 'Visit https://example.com')
    const listed = await target.run(['import', '--from', source.url, '--dry-run'])
    assert.match(listed, /nothing was changed/)
    assert.match(listed, / users: 1\n/)
    assert.ok(listed.includes(`user: the name is refused, and "User" replaces it (1)\n    ${id}`), listed)
    assert.deepEqual(await target.database.introspection.getTables(), [], 'the target stays empty')

    const imported = await target.run(['import', '--from', source.url])
    assert.equal(imported.split('Imported:\n')[1], listed.split('(nothing was changed):\n')[1])
    await signUpAtSource(source)
    const before = await contentsOf(target)
    assert.match(await target.run(['import', '--from', source.url, '--dry-run']), / users: 1\n.* here already: 1\n/s)
    assert.deepEqual(await contentsOf(target), before)
  })

  test(`An import that is killed among the users, and then among the organizations, is completed by another one (${engine})`, async (t) => {
    const source = await openSource(t, 'sqlite')
    const [whole, killed] = [await openTarget(t, engine), await openTarget(t, engine)]
    await fill(source)
    await importHere(whole, source)
    await migrate(killed.database)
    const report = join(createTemporaryFolder(t), 'report.tsv')
    const importing = ['import', '--from', source.url, '--report', report]
    for (const [table, goal] of [
      ['users', randomInt(1, USER_COUNT - 1_000)],
      ['organizations', randomInt(1, ORGANIZATION_COUNT - 150)],
    ] as const) {
      const running = killed.start(...importing)
      while ((await countRows(killed, table)) < goal) {
        assert.equal(running.child.exitCode, null, running.output())
        await pause(2)
      }
      running.child.kill('SIGKILL')
      await running.ended
      assert.equal(running.child.signalCode, 'SIGKILL', running.output())
    }
    const [users, organizations] = [await countRows(killed, 'users'), await countRows(killed, 'organizations')]
    t.diagnostic(`killed after ${users} users and ${organizations} organizations`)
    const output = await killed.run(importing)
    assert.match(output, new RegExp(` users .* here already: ${users}\\n`))
    assert.match(output, new RegExp(` organizations .* here already: ${organizations}\\n`))
    assert.match(await readFile(report, 'utf8'), /^kind\t/)
    assert.deepEqual(await contentsOf(killed), await contentsOf(whole))
    assert.match(await killed.run(['audit', 'verify']), /whole/)
  })
}

async function countRows({ database }: Target, table: 'users' | 'organizations'): Promise<number> {
  const { count } = await database
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Copies a user of Better Auth and an organization, each many times. Every user is a member of the first organization,
 * and every organization has an owner, an invitation and an API key.
 */
async function fill(source: BetterAuth): Promise<void> {
  const { owner, organization } = await makeScene(source, BASE_URL)
  const copy = (table: string, count: number, columns: Record<string, string>, condition: string, id: string) => {
    const [names, values] = [Object.keys(columns).map((name) => `"${name}"`), Object.values(columns)]
    return source.run(
      `insert into "${table}" (${names}) with recursive numbers (n) as (select 1 union all select n + 1 from numbers
        where n < ${count}) select ${values} from "${table}", numbers where ${condition}`,
      id,
    )
  }
  const same = (...columns: string[]) => Object.fromEntries(columns.map((name) => [name, `"${name}"`]))
  const ofUser = { id: 'id || n', ...same('createdAt', 'updatedAt') }
  const user = { ...ofUser, ...same('name', 'emailVerified'), email: 'n || email' }
  await copy('user', USER_COUNT, user, 'id = ?', owner.id)
  const account = {
    ...ofUser,
    ...same('providerId', 'password'),
    accountId: '"accountId" || n',
    userId: '"userId" || n',
  }
  await copy('account', USER_COUNT, account, '"userId" = ?', owner.id)
  const passkey = { id: 'id || n', userId: '"userId" || n', credentialID: `replace(hex(n || "credentialID"), ' ', '')` }
  const ofPasskey = same('name', 'publicKey', 'counter', 'deviceType', 'backedUp', 'transports', 'createdAt', 'aaguid')
  await copy('passkey', USER_COUNT, { ...passkey, ...ofPasskey }, '"userId" = ?', owner.id)
  const member = {
    id: `id || 'u' || n`,
    userId: '"userId" || n',
    role: `'member'`,
    ...same('organizationId', 'createdAt'),
  }
  await copy('member', USER_COUNT, member, `role = 'owner' and "organizationId" = ?`, organization.id)

  const { id } = organization
  const copies = { id: 'id || n', slug: 'slug || n', ...same('name', 'createdAt') }
  await copy('organization', ORGANIZATION_COUNT, copies, 'id = ?', id)
  const ofOrganization = { id: 'id || n', organizationId: '"organizationId" || n', ...same('createdAt', 'role') }
  await copy(
    'member',
    ORGANIZATION_COUNT,
    { ...ofOrganization, ...same('userId') },
    `role = 'owner' and "organizationId" = ?`,
    id,
  )
  const invitation = { ...ofOrganization, ...same('email', 'status', 'expiresAt', 'inviterId') }
  await copy('invitation', ORGANIZATION_COUNT, invitation, `status = 'pending' and "organizationId" = ?`, id)
  const key = { id: 'id || n', referenceId: '"referenceId" || n', key: 'key || n' }
  const ofKey = same('configId', 'name', 'enabled', 'rateLimitEnabled', 'createdAt', 'updatedAt')
  await copy('apikey', ORGANIZATION_COUNT, { ...key, ...ofKey }, '"referenceId" = ?', id)
}

for (const engine of ENGINES)
  test(`A dry run on a database without the tables that it reads asks for a migration (${engine})`, async (t) => {
    const target = await openTarget(t, engine)
    await migrate(target.database, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 4)))
    const source = await openSource(t, 'sqlite', false)
    await signUpAtSource(source)
    assert.equal(
      await target.run(['import', '--from', source.url, '--dry-run'], 1),
      'The database is not up to date. Run npm run accounts -- migrate, then this command again.\n',
    )
    assert.equal((await listPendingMigrations(target.database)).length, Object.keys(MIGRATIONS).length - 4)
  })

test('A conflict is listed, overwrites nothing, and does not stop the import', async (t) => {
  const source = await openSource(t, 'postgres')
  const target = await openTarget(t, 'sqlite')
  const [same, other, deleted, double] = [
    await signUpAtSource(source),
    await signUpAtSource(source),
    await signUpAtSource(source),
    await signUpAtSource(source),
  ]
  await source.run(`update "user" set email = upper(email) where id = ?`, double.id)
  const { id: doubleId } = await signUpAtSource(source)
  await source.run(`update "user" set email = ? where id = ?`, double.email, doubleId)
  for (const [slug, { client }] of [
    ['taken', other],
    ['Not a slug', other],
    ['unowned', same],
  ] as const)
    await post(client, '/organization/create', { name: 'Works', slug })
  await source.run(`update member set role = 'guest' where "userId" = ?`, same.id)

  await target.run(['admin', 'create', '--email', other.email, '--name', 'Otto Other'])
  const { database } = target
  const organization = { id: 'org_a', name: 'Taken', slug: 'taken', logo: null, metadata: null, createdAt: 1 }
  await database
    .insertInto('organizations')
    .values({ ...organization, requireTwoFactor: 0 })
    .execute()
  const event = { id: 'evt_a', createdAt: 1, action: 'user.deleted', subjectId: deleted.id, details: '{}', mac: '' }
  await sql`insert into "auditEvents" (id, "createdAt", action, "subjectId", details, mac)
    values (${sql.join(Object.values(event))})`.execute(database)

  const folder = createTemporaryFolder(t)
  const file = join(folder, 'report.tsv')
  await target.run(['import', '--from', source.url, '--report', file])
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => !line.startsWith('table'))
  assert.deepEqual(
    lines.map((line) => line.replace(/\t.*\t/, ': ')),
    [
      'kind: problem',
      'user: another user here has this email address',
      'user: the user was deleted here',
      'user: an older user of the source has this email address',
      'organization: it has no owner who can be imported: make a member its owner and import again',
      'organization: the slug is not one that Accounts accepts: change it and import again',
      'organization: it has no owner who can be imported: make a member its owner and import again',
      '',
    ],
  )
  assert.ok(lines.some((line) => /^organization\t\S+ with the slug "Not a slug"\t/.test(line)))
  const users = await database.selectFrom('users').select(['id', 'email', 'name']).orderBy('email').execute()
  assert.deepEqual(
    users.map(({ id }) => id).sort(),
    [same.id, double.id, users.find(({ name }) => name === 'Otto Other')?.id].sort(),
  )

  // The operator removes the conflict and imports again.
  await database.deleteFrom('users').where('email', '=', other.email).execute()
  assert.match(await target.run(['import', '--from', source.url, '--report', file], 1), /report\.tsv exists already/)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const unused = join(folder, 'unused.tsv')
  await target.run(['import', '--from', 'sqlite:/missing.db', '--report', unused], 1)
  await target.run(['import', '--from', source.url, '--report', unused])
  assert.match(await readFile(unused, 'utf8'), /another organization here has this slug/)
  const organizations = await database.selectFrom('organizations').select(['id', 'name']).execute()
  assert.deepEqual(
    organizations.map(({ id, name }) => [id, name]),
    [['org_a', 'Taken']],
  )
})

test("A source that can't be imported is refused with its reason, and nothing of its address", async (t) => {
  const target = await openTarget(t, 'sqlite')
  const secret = 'a-password-in-the-address'
  const output = await target.run(['import', '--from', `postgres://ada:${secret}@127.0.0.1:1/source`], 1)
  assert.equal(
    output,
    "The source can't be imported: connect ECONNREFUSED 127.0.0.1:1. Start PostgreSQL, or check the host and the port in --from.\n",
  )
  assert.match(await target.run(['import', '--dry-run'], 1), /--from is needed.*Usage: npm run accounts -- import/s)
})

test('An import whose source fails after the users says that it can be completed, and it is', async (t) => {
  const target = await openTarget(t, 'sqlite')
  const path = join(createTemporaryFolder(t), 'better-auth.db')
  const source = new DatabaseSync(path)
  t.after(() => source.close())
  // In WAL mode and open, the file is read during the import, and not copied before it.
  source.exec(`pragma journal_mode = wal;
    create table names (ada, works);
    insert into names values ('damaged', 'damaged');
    create view "user" as select 'usr_ada' as id, json(ada) as name, 'ada@example.com' as email, 1 as "emailVerified",
      1 as "createdAt", 1 as "updatedAt" from names;
    create table account (id, "userId", "providerId");
    create view organization as select 'org_works' as id, json(works) as name, 'works' as slug, 1 as "createdAt" from names;
    create table member (id text, "organizationId" text, "userId" text, role text, "createdAt");
    insert into member values ('mem_ada', 'org_works', 'usr_ada', 'owner', 1)`)
  const importing = ['import', '--from', `sqlite:${path}`]
  const reason = "The source can't be imported: malformed JSON."
  assert.ok((await target.run(importing, 1)).endsWith(`${reason}\n`), 'nothing is imported')
  source.exec(`update names set ada = '"Ada"'`)
  assert.ok((await target.run([...importing, '--dry-run'], 1)).endsWith(`${reason}\n`), 'a dry run imports nothing')
  const output = await target.run(importing, 1)
  assert.ok(
    output.endsWith(`${reason} A part is imported already. Run the command again: it completes the import.\n`),
    output,
  )
  assert.equal(await countRows(target, 'users'), 1)
  source.exec(`update names set works = '"Works"'`)
  assert.match(await target.run(importing), /^ {2}organizations: 1$/m)
})

test('An import whose target is lost after the users says that it can be completed, and it is', async (t) => {
  const source = await openSource(t, 'sqlite')
  await makeScene(source, BASE_URL)
  const target = await openTarget(t, 'postgres')
  await migrate(target.database)
  await sql`create function lose_connection() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(target.database)
  await sql`create trigger lost before insert on organizations execute function lose_connection()`.execute(
    target.database,
  )
  const importing = ['import', '--from', source.url]
  const output = await target.run(importing, 1)
  assert.match(output, /^The database or a port is not available: terminating connection .* doctor`\./m)
  assert.ok(output.endsWith(' A part is imported already. Run the command again: it completes the import.\n'), output)
  assert.equal(await countRows(target, 'organizations'), 0)
  await sql`drop trigger lost on organizations`.execute(target.database)
  assert.match(await target.run(importing), /^ {2}users: 0\n.*^ {2}organizations: 1\n/ms)
})

test('A Better Auth without plugins, with other columns and with other accounts is imported', async (t) => {
  const source = await openSource(t, 'postgres', false)
  const target = await openTarget(t, 'postgres')
  const [plain, social, bcrypt, odd] = [
    await signUpAtSource(source),
    await signUpAtSource(source),
    await signUpAtSource(source),
    await signUpAtSource(source),
  ]
  for (const column of ['favoriteColor', 'username', 'phoneNumber'])
    await source.run(`alter table "user" add column "${column}" text`)
  await source.run(`update "user" set username = 'ada' where id = ?`, plain.id)
  await source.run(`alter table "user" alter column "createdAt" type timestamp using "createdAt" at time zone 'UTC'`)
  // Sign-in with Google needs Google. These are the rows that it writes.
  await source.run(`update account set "providerId" = 'google', password = null where "userId" = ?`, social.id)
  await source.run(`update account set password = '$2b$10$abc' where "userId" = ?`, bcrypt.id)
  await source.run(`update "user" set image = 'javascript:alert(1)', email = ? where id = ?`, 'no address', odd.id)
  const output = await target.run(['import', '--from', source.url])
  for (const problem of [
    'sign-in with "google" is not imported',
    'there is no password: the user sets one with a link of "Forgot password"',
    'the hash of the password is not one of Better Auth, and is not imported',
    'the email address is not one that Accounts accepts',
  ])
    assert.ok(output.includes(problem), output)
  assert.ok(!output.includes('$2b$'), output)
  assert.match(output, /email address instead of a user name \(1\)\n {4}user\.username \(rows: 1\)$/m)
  assert.doesNotMatch(output, /telephone number/, 'no user has one')
  const users = await target.database.selectFrom('users').select(['id', 'createdAt']).execute()
  assert.deepEqual(users.map(({ id }) => id).sort(), [plain.id, social.id, bcrypt.id].sort())
  assert.ok(users.every(({ createdAt }) => Math.abs(createdAt - Date.now()) < 600_000))
})

test('Authenticator apps of each secret of Better Auth are imported', async (t) => {
  const folder = createTemporaryFolder(t)
  const path = join(folder, 'better-auth.db')
  const source = new DatabaseSync(path)
  t.after(() => source.close())
  source.exec(`create table "user" (id text, name, email, "emailVerified", "createdAt", "updatedAt", "twoFactorEnabled");
    create table account (id, "userId", "providerId");
    create table "twoFactor" (secret, "userId" text)`)
  const [current, former, first] = [newSecret(), newSecret(), newSecret()]
  const keys = new Map([
    [2, current],
    [1, former],
  ])
  const encrypted = await Promise.all([
    symmetricEncrypt({ key: { keys, currentVersion: 1 }, data: 'key' }),
    symmetricEncrypt({ key: { keys, currentVersion: 2 }, data: 'key' }),
    symmetricEncrypt({ key: first, data: 'key' }),
  ])
  for (const [index, secret] of encrypted.entries()) {
    source
      .prepare(`insert into "user" values (?, 'Ada', ?, 1, ?, 0, 1)`)
      .run(`u${index}`, `u${index}@example.com`, index)
    source.prepare('insert into "twoFactor" values (?, ?)').run(secret, `u${index}`)
  }
  const environment = { DATABASE_URL: `sqlite:${folder}/accounts.db`, BETTER_AUTH_SECRETS: `2:${current}, 1:${former}` }
  const words = ['import', '--from', `sqlite:${path}`, '--dry-run']
  for (const [BETTER_AUTH_SECRET, replaced] of [
    [first, undefined],
    ['', 'u2'],
  ] as const) {
    const { ended, output } = runAccounts(words, { ...environment, BETTER_AUTH_SECRET })
    assert.equal(await ended, 0, output())
    assert.equal(/codes by email replace the second step.*\n {4}(.*)/.exec(output())?.[1], replaced)
  }
})
