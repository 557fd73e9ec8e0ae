import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '../../server/platform/database/open.ts'
import { SERVICE_CONNECTIONS } from '../../server/platform/database/postgres.ts'
import { findConnectionProblem } from '../../server/platform/database/postgres-checks.ts'
import { runInProcess } from '../support/command.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { getFreePort } from '../support/free-port.ts'
import { type Postgres, query, startPostgres } from '../support/postgres.ts'
import { newSecret, runAccounts, startProcess } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { administratorWithOrganization, member } from '../support/users.ts'

let durable: Promise<Postgres> | undefined

/** The server of the whole run does not write to the disk at a commit, and doctor fails there. */
function durablePostgres(): Promise<Postgres> {
  durable ??= startPostgres({ durable: true })
  return durable
}

const OWNER_COUNT = 8
const ROUNDS = 5

for (const isolation of ['repeatable read', 'serializable']) {
  describe(`A database whose default isolation is ${isolation}`, () => {
    let migrated: Service
    let pooler: DatabaseProxy
    let behindPooler: Service
    let direct: Service
    let directUrl: string

    before(async () => {
      migrated = await startService({ engine: 'postgres' })
      directUrl = (migrated.config.database as { url: string }).url
      const setting = `set default_transaction_isolation = '${isolation}'`
      await query(directUrl, `alter database ${new URL(directUrl).pathname.slice(1)} ${setting}`)
      // Open connections keep the default of their start, so the service starts after the change.
      direct = await startService({ engine: 'postgres', beside: migrated })
      pooler = await startDatabaseProxy(directUrl, { reportsOwnProcessId: true })
      const environment = { DATABASE_URL: pooler.url }
      behindPooler = await startService({ engine: 'postgres', beside: migrated, environment })
    })
    after(async () => {
      await behindPooler?.stop()
      await pooler?.close()
      await direct?.stop()
      await migrated?.stop()
    })

    test(`Concurrent leave calls of all owners leave an owner on a ${isolation} database behind a pooler`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const founder = await administratorWithOrganization(behindPooler)
        const organizationId = founder.organization.id
        const others = Array.from({ length: OWNER_COUNT - 1 }, () => member(behindPooler, founder, 'owner'))
        const owners = [founder, ...(await Promise.all(others))]
        const answers = await Promise.all(
          owners.map(({ client }) => client.post('/api/auth/organization/leave', { organizationId })),
        )
        const remaining = await migrated.context.database
          .selectFrom('members')
          .select('role')
          .where('organizationId', '=', organizationId)
          .execute()
        // A single statement may get 503, because it has the isolation of the database.
        const leftCount = answers.filter(({ status }) => status === 200).length
        assert.equal(remaining.length, OWNER_COUNT - leftCount)
        assert.ok(remaining.length > 0, 'the organization has no owner')
      }
    })

    test(`Single statements are read committed on a ${isolation} database without a pooler`, async () => {
      const setting = sql<string>`current_setting('transaction_isolation')`.as('isolation')
      const { database } = direct.context
      const read = await database.selectNoFrom(setting).executeTakeFirst()
      assert.equal(read?.isolation, 'read committed')
      const { email } = await administratorWithOrganization(behindPooler)
      const changed = await database
        .updateTable('users')
        .set({ email })
        .where('email', '=', email)
        .returning(setting)
        .execute()
      assert.deepEqual(changed, [{ isolation: 'read committed' }])
      assert.match((await run('doctor', directUrl)).output, /^\w+ {2,4}settings: (?!default_transaction_isolation)/m)
    })

    test(`doctor fails on a ${isolation} database behind a pooler and says what to set`, async () => {
      const { output } = await run('doctor', pooler.url)
      const setting = "alter database … set default_transaction_isolation = 'read committed'"
      assert.ok(output.includes(`FAIL  settings: default_transaction_isolation is ${isolation}`), output)
      assert.ok(output.includes(setting), output)
    })
  })
}

test('A command and a service keep their own settings on a database that sets others', async (t) => {
  const url = await createDatabase(t)
  const name = new URL(url).pathname.slice(1)
  for (const setting of [
    "idle_in_transaction_session_timeout = '1s'",
    "idle_session_timeout = '1s'",
    "transaction_timeout = '1s'",
    "client_min_messages = 'error'",
  ])
    await query(url, `alter database ${name} set ${setting}`)
  const settings = sql<{ idle: string; session: string; transaction: string; messages: string }>`
    select current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('idle_session_timeout') as session,
      current_setting('transaction_timeout') as transaction,
      current_setting('client_min_messages') as messages`
  for (const [purpose, idle, transaction] of [
    ['command', '1h', '0'],
    ['service', '4s', '1s'],
  ] as const) {
    const { database, close } = openDatabase({ engine: 'postgres', url }, () => {}, purpose)
    const { rows } = await settings.execute(database).finally(close)
    assert.deepEqual(rows, [{ idle, session: '0', transaction, messages: 'warning' }], purpose)
  }
})

test('A search finds text with special characters on a database with standard_conforming_strings = off', async (t) => {
  const migrated = await startService({ engine: 'postgres' })
  t.after(() => migrated.stop())
  const { url } = migrated.config.database as { url: string }
  await query(url, `alter database ${new URL(url).pathname.slice(1)} set standard_conforming_strings = off`)
  const service = await startService({ engine: 'postgres', beside: migrated })
  t.after(() => service.stop())
  const { client, id, organization } = await administratorWithOrganization(service)
  const name = 'Ada \\! 100% _'
  await service.context.database.updateTable('users').set({ name }).where('id', '=', id).execute()
  for (const [text, total] of [
    ['ada', 1],
    ['\\!', 1],
    ['0% _', 1],
    ['a_\\', 0],
    ['a%!', 0],
  ] as const) {
    const search = new URLSearchParams({ searchValue: text, organizationId: organization.id })
    const { status, body } = await client.get(`/api/auth/organization/list-members?${search}`)
    assert.deepEqual([status, body.total], [200, total], text)
  }
})

test('doctor fails behind a pooler for a role that hides the warning of a COMMIT without its standby', async (t) => {
  const { role, url } = await createRole(t, { isOwner: true })
  await query(url, `alter role ${role} set client_min_messages = 'error'`)
  assert.match((await run('doctor', url)).output, /^ok {4}settings: /m)
  const pooler = await startDatabaseProxy(url, { reportsOwnProcessId: true })
  t.after(() => pooler.close())
  const { output } = await run('doctor', pooler.url)
  assert.match(output, /^FAIL {2}settings: client_min_messages is error, .* set client_min_messages = 'warning'$/m)
})

test('A service refuses a pooler that leads to a read-only server, and a command with target_session_attrs=any does not', async (t) => {
  const url = await createDatabase(t)
  await query(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const pooler = await startDatabaseProxy(url, { reportsOwnProcessId: true, hidesReadOnly: true })
  t.after(() => pooler.close())
  const read = (purpose: 'service' | 'command', parameters = '') => {
    const { database, close } = openDatabase({ engine: 'postgres', url: pooler.url + parameters }, () => {}, purpose)
    return sql`select 1`.execute(database).finally(close)
  }
  for (const purpose of ['service', 'command'] as const)
    await assert.rejects(read(purpose), {
      name: 'DatabaseUnavailable',
      message: /^127\.0\.0\.1:\d+ leads to a standby/,
    })
  await read('command', '?target_session_attrs=any')
})

test('A start with target_session_attrs=any on a read-only server fails with one sentence', async (t) => {
  const url = await createDatabase(t)
  const SECRET = newSecret()
  const create = ['admin', 'create', '--email', 'ada@example.com', '--name', 'Ada']
  for (const words of [create, ['keys', 'rotate']])
    assert.equal((await runInProcess(words, { DATABASE_URL: url, SECRET })).code, 0)
  await query(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const settings = { DATABASE_URL: `${url}?target_session_attrs=any`, SECRET, PORT: String(await getFreePort()) }
  const start = runAccounts(['start'], settings)
  t.after(() => start.child.kill('SIGKILL'))
  await until(() => start.child.exitCode !== null || start.output().includes('Accounts is ready'), 'the start ends')
  assert.match(
    start.output(),
    /^The database of DATABASE_URL can't be used: \S+ is read-only\. Write the address of the primary/m,
  )
  assert.equal(start.child.exitCode, 1)
})

for (const encoding of ['LATIN1', 'SQL_ASCII']) {
  test(`migrate and doctor refuse a database with the encoding ${encoding}`, async (t) => {
    const url = await createDatabase(t, `encoding '${encoding}' locale_provider libc locale 'C' template template0`)
    const refusal = `The encoding of the database is ${encoding}, which does not have every letter of a name.`
    const migrate = await run('migrate', url)
    assert.equal(migrate.code, 1)
    assert.ok(migrate.output.startsWith(refusal), migrate.output)
    const doctor = await run('doctor', url)
    assert.ok(doctor.output.includes(`FAIL  settings: ${refusal}`), doctor.output)
  })
}

test('doctor fails when the version of the collation has changed, and does not know one that is not stored', async (t) => {
  const { url } = await createRole(t, { isOwner: true })
  const name = new URL(url).pathname.slice(1)
  const ownerUrl = (await durablePostgres()).url(name)
  const [{ version } = {}] = await query<{ version: string }>(
    ownerUrl,
    `select pg_database_collation_actual_version(oid) as version from pg_database where datname = '${name}'`,
  )
  assert.ok(version)
  const doctorWith = async (stored: string) => {
    await query(ownerUrl, `update pg_database set datcollversion = ${stored} where datname = '${name}'`)
    return (await run('doctor', url)).output
  }
  assert.match(await doctorWith(`'${version}'`), /^ok {4}settings: .*; the version of the collation is unchanged$/m)
  assert.match(await doctorWith('null'), /^ok {4}settings: .*; the version of the collation is not known$/m)
  const output = await doctorWith(`'0.9'`)
  const change = `the indexes were sorted by version 0.9 of the collation, and the server has ${version}`
  const advice = `stop the service, reindex database ${name}, then alter database ${name} refresh collation version`
  assert.ok(output.includes(`FAIL  settings: ${change}: ${advice}\n`), output)
  for (const statement of [`reindex database ${name}`, `alter database ${name} refresh collation version`])
    await query(url, statement)
  assert.match((await run('doctor', url)).output, /^ok {4}settings: .*; the version of the collation is unchanged$/m)
})

test('doctor fails while a crash of the server may lose or damage what was acknowledged', async (t) => {
  const { role, url } = await createRole(t, { isOwner: true })
  const admin = (await durablePostgres()).url('postgres')
  const settings = async () => /^.*settings: .*/m.exec((await run('doctor', url)).output)?.[0]
  assert.match((await settings()) ?? '', /^ok {4}settings: encoding, isolation, messages and durability fit; /)
  await query(admin, `alter role ${role} set synchronous_commit = off`)
  assert.match((await settings()) ?? '', /^FAIL {2}settings: synchronous_commit is off: .* loses changes .* 200: alter/)
  await query(admin, `alter role ${role} set synchronous_commit = local`)
  assert.match((await settings()) ?? '', /^ok/)
  for (const name of ['fsync', 'full_page_writes']) {
    const setTo = async (value: string) => {
      await query(admin, `alter system set ${name} = ${value}`)
      await query(admin, 'select pg_reload_conf()')
      const read = `select current_setting('${name}') as current`
      await until(
        async () => (await query<{ current: string }>(url, read))[0]?.current === value,
        'the server reads it',
      )
    }
    await setTo('off')
    assert.match(
      (await settings()) ?? '',
      new RegExp(`^FAIL  settings: ${name} is off: .*: alter system set ${name} = on$`),
    )
    await setTo('on')
  }
})

test('A service whose password was changed answers 503, and works again when it is back', async (t) => {
  const admin = (await durablePostgres()).url('postgres')
  const { role, url } = await createRole(t, { isOwner: true })
  const service = await startService({ engine: 'postgres', environment: { DATABASE_URL: url } })
  t.after(() => service.stop())
  const founder = await administratorWithOrganization(service)
  const check = () => founder.client.get('/api/auth/get-session')
  await query(admin, `alter role ${role} password 'changed'`)
  await query(admin, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
  await until(async () => (await check()).status === 503, 'the connections are lost')
  assert.equal((await check()).body.code, 'SERVICE_UNAVAILABLE')
  await query(admin, `alter role ${role} password 'hunter2'`)
  await until(async () => (await check()).status === 200, 'the service works again')
})

test('A role that may not create tables is told what it lacks, and doctor names the missing tables once', async (t) => {
  const { url } = await createRole(t, { isOwner: false })
  const migrate = await run('migrate', url)
  assert.equal(migrate.code, 1)
  assert.match(
    migrate.output,
    /^The database of DATABASE_URL can't be used: permission denied for schema public\. Make the role/,
  )
  const doctor = await run('doctor', url)
  assert.match(doctor.output, /^ok {4}settings: encoding, isolation, messages and durability fit; /m)
  assert.match(doctor.output, /^FAIL {2}database: not migrated; /m)
  assert.match(doctor.output, /^skip {2}administrator: solve "database" first$/m)
  assert.match(doctor.output, /^1 of the checks failed\.$/m)
})

/** A service whose role owns nothing, on a database that the owner has migrated. */
async function serveAsRole(t: TestContext) {
  const { role, url } = await createRole(t, { isOwner: false })
  const ownerUrl = (await durablePostgres()).url(new URL(url).pathname.slice(1))
  const SECRET = newSecret()
  assert.equal((await run('migrate', ownerUrl, SECRET)).code, 0)
  await query(ownerUrl, `grant select, insert, update, delete on all tables in schema public to ${role}`)
  const service = await startService({ engine: 'postgres', environment: { DATABASE_URL: url, SECRET } })
  t.after(() => service.stop())
  return { role, url, ownerUrl, SECRET, service }
}

test('A service whose role only reads and changes rows serves, after the owner has migrated', async (t) => {
  const { service } = await serveAsRole(t)
  const founder = await administratorWithOrganization(service)
  assert.equal((await founder.client.get(`/api/token?org=${founder.organization.slug}`)).status, 200)
  assert.equal((await founder.client.post('/api/auth/sign-out', {})).status, 200)
  assert.equal((await founder.client.get('/api/auth/get-session')).body, null)
  assert.equal((await service.client().get('/readyz')).status, 200)
})

test('A role without usage on the schema is told to grant it by doctor and a start, and serves with it', async (t) => {
  const { role, url } = await createRole(t, { isOwner: false })
  const ownerUrl = (await durablePostgres()).url(new URL(url).pathname.slice(1))
  const SECRET = newSecret()
  await query(ownerUrl, 'revoke all on schema public from public')
  assert.equal((await run('migrate', ownerUrl, SECRET)).code, 0)
  await query(ownerUrl, `grant select, insert, update, delete on all tables in schema public to ${role}`)
  const advice = `The role ${role} may use no schema of its search_path ("$user", public): as the owner of the schema, run grant usage on schema … to ${role}.`
  const { output } = await run('doctor', url, SECRET)
  assert.ok(output.includes(`FAIL  database: ${advice}`), output)
  for (const command of ['start', 'migrate', 'audit verify'])
    assert.ok((await run(command, url, SECRET)).output.startsWith(advice), command)
  await query(ownerUrl, `grant usage on schema public to ${role}`)
  const service = await startService({ engine: 'postgres', environment: { DATABASE_URL: url, SECRET } })
  t.after(() => service.stop())
  const { client } = await administratorWithOrganization(service)
  await query(ownerUrl, `revoke usage on schema public from ${role}`)
  const { output: revoked } = await run('doctor', url, SECRET)
  assert.ok(revoked.includes(`FAIL  database: ${advice}`), revoked)
  assert.equal((await client.get('/readyz')).status, 503)
})

test('A service whose role lacks a right answers 503 until it is granted, and doctor and get-system name the table', async (t) => {
  const { role, url, ownerUrl, SECRET, service } = await serveAsRole(t)
  const { client, organization } = await administratorWithOrganization(service)
  const rename = () =>
    client.post('/api/auth/organization/update', { organizationId: organization.id, data: { name: 'Other Works' } })
  assert.match((await run('doctor', url, SECRET)).output, /^ok {4}rights: the role may read and change every table$/m)
  await query(ownerUrl, `revoke update on organizations from ${role}`)
  const { status, body } = await rename()
  assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
  const { output } = await run('doctor', url, SECRET)
  assert.match(output, /^FAIL {2}rights: the role may not read or change organizations; grant select, insert, update/m)
  const { body: system } = await client.get('/api/auth/admin/get-system')
  const rights = system.checks.find(({ name }: { name: string }) => name === 'rights')
  assert.match(rights?.message, /^the role may not read or change organizations;/)
  await query(ownerUrl, `grant update on organizations to ${role}`)
  assert.equal((await rename()).status, 200)
})

test('doctor and get-system name the tables with row-level security, except for a role to which it does not apply', async (t) => {
  const { role, url, ownerUrl, SECRET, service } = await serveAsRole(t)
  const { client } = await administratorWithOrganization(service)
  const rightsOf = async (address: string) => /^.*rights: .*/m.exec((await run('doctor', address, SECRET)).output)?.[0]
  const well = 'ok    rights: the role may read and change every table'
  const advice = 'alter table … disable row level security, or alter role … bypassrls'
  const problem = `row-level security may hide rows of apiKeys, passkeys from the role; ${advice}`
  for (const table of ['passkeys', '"apiKeys"']) await query(ownerUrl, `alter table ${table} enable row level security`)
  assert.equal(await rightsOf(url), `FAIL  rights: ${problem}`)
  const { body } = await client.get('/api/auth/admin/get-system')
  assert.equal(body.checks.find(({ name }: { name: string }) => name === 'rights')?.message, problem)
  assert.equal(await rightsOf(ownerUrl), well)
  await query(ownerUrl, `alter role ${role} bypassrls`)
  assert.equal(await rightsOf(url), well)
  await query(ownerUrl, `alter role ${role} nobypassrls`)
  await query(ownerUrl, `alter table passkeys owner to ${role}`)
  await query(ownerUrl, 'alter table "apiKeys" disable row level security')
  assert.equal(await rightsOf(url), well)
  await query(ownerUrl, 'alter table passkeys force row level security')
  assert.match((await rightsOf(url)) ?? '', /^FAIL {2}rights: row-level security may hide rows of passkeys from/)
  await query(ownerUrl, `alter role ${role} superuser`)
  assert.equal(await rightsOf(url), well)
})

test('A start warns and doctor fails when a role has too few connections, except behind a pooler', async (t) => {
  const admin = (await durablePostgres()).url('postgres')
  const { role, url } = await createRole(t, { isOwner: true })
  const SECRET = newSecret()
  await query(admin, `alter role ${role} connection limit 19`)
  const problem = /the server allows 19 connections, and the service uses up to 20: raise max_connections/
  const service = await startProcess(url, { SECRET })
  t.after(() => service.child.kill('SIGKILL'))
  assert.match(service.output(), problem)
  service.child.kill('SIGTERM')
  await service.ended
  assert.match((await run('doctor', url, SECRET)).output, new RegExp(`^FAIL {2}connections: ${problem.source}`, 'm'))
  const pooler = await startDatabaseProxy(url, { reportsOwnProcessId: true })
  t.after(() => pooler.close())
  assert.match((await run('doctor', pooler.url, SECRET)).output, /^ok {4}connections: enough for this service$/m)
  await query(admin, `alter role ${role} connection limit 20`)
  assert.match((await run('doctor', url, SECRET)).output, /^ok {4}connections: enough for this service$/m)
})

test('The connections that PostgreSQL reserves for superusers do not count for the role of a service', async (t) => {
  const admin = (await durablePostgres()).url('postgres')
  const { url } = await createRole(t, { isOwner: true })
  const [{ limit = 0 } = {}] = await query<{ limit: number }>(
    admin,
    `select current_setting('max_connections')::integer as limit`,
  )
  const problem = await findConnectionProblem(url, limit / SERVICE_CONNECTIONS, false)
  assert.match(problem ?? '', new RegExp(`^the server allows ${limit - 3} connections, .+ uses up to ${limit}: `))
  assert.equal(await findConnectionProblem(admin, limit / SERVICE_CONNECTIONS, false), undefined)
})

test('migrate works without pg_trgm in the search path', async (t) => {
  const url = await createDatabase(t)
  await query(url, 'create schema extensions')
  await query(url, 'create extension pg_trgm schema extensions')
  const migrate = await run('migrate', url)
  assert.equal(migrate.code, 0, migrate.output)
})

test('doctor names an unreachable server once, and skips the checks that need it', async () => {
  const { code, output } = await run('doctor', `postgres://accounts@127.0.0.1:${await getFreePort()}/accounts`)
  assert.equal(code, 1)
  assert.match(output, /^FAIL {2}server: connect ECONNREFUSED/m)
  assert.match(output, /^skip {2}secret: solve "server" first$/m)
  assert.match(output, /^1 of the checks failed\.$/m)
})

test('A start warns of plain connections to another machine', async (t) => {
  // This address leads to this machine, too, but is none of loopback.
  const url = Object.assign(new URL(await createDatabase(t)), { hostname: '0.0.0.0' }).href
  const service = await startProcess(url, { SECRET: newSecret() })
  t.after(() => service.child.kill('SIGKILL'))
  assert.match(service.output(), /"level":40.*the connections to 0\.0\.0\.0 are not encrypted: add sslmode=verify-full/)
})

/** @returns a role, and its URL of an empty database */
async function createRole(t: TestContext, { isOwner }: { isOwner: boolean }): Promise<{ role: string; url: string }> {
  const admin = (await durablePostgres()).url('postgres')
  const role = `role_${randomBytes(8).toString('hex')}`
  await query(admin, `create role ${role} login password 'hunter2'`)
  const database = await createDatabase(t, isOwner ? `owner ${role}` : '')
  // The role may own the database, so the role is dropped after it.
  t.after(() => query(admin, `drop role ${role}`))
  return { role, url: Object.assign(new URL(database), { username: role, password: 'hunter2' }).href }
}

/** @returns the URL of an empty database */
async function createDatabase(t: TestContext, options = ''): Promise<string> {
  const { url, drop } = await (await durablePostgres()).createDatabase(options)
  t.after(drop)
  return url
}

async function run(
  command: string,
  DATABASE_URL: string,
  SECRET = newSecret(),
): Promise<{ code: number; output: string }> {
  const { code, output, errors } = await runInProcess(command.split(' '), { DATABASE_URL, SECRET })
  return { code, output: `${output}${errors}` }
}
