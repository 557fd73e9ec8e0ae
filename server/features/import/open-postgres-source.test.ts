import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startBetterAuth } from '../../../test/support/better-auth.ts'
import { signUpAtSource } from '../../../test/support/better-auth-scene.ts'
import { postgresForTests, query } from '../../../test/support/postgres.ts'
import { newSecret, runAccounts } from '../../../test/support/process.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { until } from '../../../test/support/until.ts'
import { openSource } from './open-source.ts'

async function createSource(t: TestContext) {
  const source = await startBetterAuth({ engine: 'postgres', baseUrl: 'http://localhost:3000' })
  const role = `reader_${randomBytes(6).toString('hex')}`
  await source.run(`create role ${role} login password 'reader'`)
  await source.run(`grant select on all tables in schema public to ${role}`)
  t.after(async () => {
    await source.run(`drop owned by ${role}`)
    await source.run(`drop role ${role}`)
    await source.stop()
  })
  await signUpAtSource(source)
  const url = Object.assign(new URL(source.url), { username: role, password: 'reader' })
  return { run: source.run, role, url }
}

async function countReadableUsers({ href }: URL): Promise<number> {
  const source = await openSource(href)
  return (await Array.fromAsync(source.readUsers()).finally(source.close)).flat().length
}

test('A source is read by a role that may only read it', async (t) => {
  const { url } = await createSource(t)
  assert.equal(await countReadableUsers(url), 1)
})

for (const table of ['"twoFactor"', 'organization', 'member', 'apikey', 'session'])
  test(`A source whose role may not read ${table} is refused, with what to grant`, async (t) => {
    const { run, role, url } = await createSource(t)
    await run(`revoke select on ${table} from ${role}`)
    const name = table.replaceAll('"', '')
    await assert.rejects(openSource(url.href), {
      name: 'SourceError',
      message: `permission denied for table ${name}. Grant its role SELECT on all tables of Better Auth, or use the role that owns them`,
    })
  })

test('A source whose role may not read the column of a ban is refused', async (t) => {
  const { run, role, url } = await createSource(t)
  await run(`revoke select on "user" from ${role}`)
  await run(`grant select (id, name, email, "emailVerified", "createdAt", "updatedAt") on "user" to ${role}`)
  await assert.rejects(openSource(url.href), /permission denied for table user\. Grant/)
})

test('A source is read by a role whose time limits are shorter than the import', async (t) => {
  const { run, role, url } = await createSource(t)
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout'])
    await run(`alter role ${role} set ${limit} = '500ms'`)
  await run('alter table "user" rename to slow')
  await run('create view "user" as select slow.* from slow, pg_sleep(1)')
  await run(`grant select on "user" to ${role}`)
  const source = await openSource(url.href)
  try {
    assert.equal((await Array.fromAsync(source.readUsers())).flat().length, 1)
    await pause(1_000)
    assert.equal(await source.countUsers(), 1)
  } finally {
    await source.close()
  }
})

test('A source that hides rows from its role is refused', async (t) => {
  const { run, url } = await createSource(t)
  await run('alter table "twoFactor" enable row level security')
  await assert.rejects(
    openSource(url.href),
    /row-level security policy for table "twoFactor"\. Give its role BYPASSRLS/,
  )
})

test('A source is read from each schema of the search_path, and a schema that its role may not use is refused', async (t) => {
  const { run, role, url } = await createSource(t)
  await run('create schema plugins')
  await run('alter table organization set schema plugins')
  url.searchParams.set('options', '-c search_path=public,plugins')
  await assert.rejects(openSource(url.href), /permission denied for schema plugins/)
  await run(`grant usage on schema plugins to ${role}`)
  assert.equal(await countReadableUsers(url), 1)
  url.searchParams.delete('options')
  assert.equal(await countReadableUsers(url), 1, 'other schemas are not read')
})

test('A refused transaction ends the connection to the source, for which the command would wait', async (t) => {
  const { run, role, url } = await createSource(t)
  await run('create table pg_settings (id integer)')
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  await assert.rejects(openSource(url.href), { name: 'SourceError', message: /"name" does not exist/ })
  const postgres = (await postgresForTests()).url('postgres')
  const isClosed = async () =>
    (await query(postgres, `select from pg_stat_activity where usename = '${role}'`)).length === 0
  await until(isClosed, 'the connection has ended')
})

test('An import without the password of its source says so and ends', { timeout: 30_000 }, async (t) => {
  const { url } = await createSource(t)
  url.password = ''
  const target = await createTestDatabase('sqlite')
  t.after(() => target.drop())
  const SECRET = newSecret()
  const { ended, output } = runAccounts(['import', '--from', url.href, '--dry-run'], {
    DATABASE_URL: target.url,
    SECRET,
  })
  assert.equal(await ended, 1)
  assert.match(output(), /The source can't be imported: its address has no password\. Put it into PGPASSWORD\./)
})
