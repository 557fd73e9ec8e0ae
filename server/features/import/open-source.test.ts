import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { postgresForTests } from '../../../test/support/postgres.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { PICTURE_LENGTH_MAXIMUM } from '../../core/field-limits.ts'
import { openSource } from './open-source.ts'
import { SourceError } from './source-error.ts'

test('openSource refuses what is not a database of Better Auth, and names the reason without the address', async (t) => {
  const postgres = await (await postgresForTests()).createDatabase()
  t.after(() => postgres.drop())
  const folder = createTemporaryFolder(t)
  const create = (name: string, sql: string) => {
    const path = join(folder, name)
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
    return `sqlite:${path}`
  }
  await writeFile(join(folder, 'text.db'), 'This is a text and no database. '.repeat(50))
  const wrongPassword = new URL(postgres.url)
  wrongPassword.password = 'wrong-password'
  const ofWebServer = new URL(postgres.url)
  for (const [name, value] of [
    ['application_name', 'web'],
    ['statement_timeout', '5000'],
    ['target_session_attrs', 'prefer-standby'],
  ] as const)
    ofWebServer.searchParams.set(name, value)
  const cases: [string, RegExp][] = [
    [`sqlite:${join(folder, 'missing.db')}`, /^there is no file/],
    [`sqlite:${folder}`, /^.+ is no file$/],
    [`sqlite:${join(folder, 'text.db')}`, /not a database/],
    [create('empty.db', 'create table other (id text)'), /^it has no table "user" and no table "account"/],
    [
      create('renamed.db', 'create table "user" (id text, email_address text); create table account (id text)'),
      /^its table "user" has no column "name", "email", "emailVerified", "createdAt", "updatedAt"/,
    ],
    [create('ours.db', 'create table users (id text); create table "auditEvents" (id text)'), /a database of Accounts/],
    [postgres.url, /^it has no table "user"/],
    [wrongPassword.href, /password authentication failed/],
    ['postgres://ada:wrong-password@127.0.0.1:1/x', /ECONNREFUSED/],
    ['postgres://ada:wrong-password@[', /^its address is not an address such as postgres:[^,]+percent-encoding$/],
    ['postgres:wrong-password', /^its address is not an address such as postgres:/],
    ['postgres://ada:wrong-password@one:5432,two:5432/x', /^its address has several hosts: write only the primary$/],
    ['postgres://ada:wrong-password@one/x?host=one,two', /^its address has several hosts: write only the primary$/],
    [ofWebServer.href, /^it has no table "user"/],
    [`SQLITE:${folder}`, /^.+ is no file$/],
    ['POSTGRES://ada:wrong-password@127.0.0.1:1/x', /ECONNREFUSED/],
    ['mysql://ada:wrong-password@localhost/x', /^its address must begin with sqlite: or postgres:/],
  ]
  for (const [url, message] of cases)
    await assert.rejects(openSource(url), (error) => {
      assert.ok(error instanceof SourceError, String(error))
      assert.match(error.message, message)
      assert.ok(!error.message.includes('wrong-password'))
      return true
    })
})

test('A batch of organizations ends at 10,000 members, and with 50 organizations', async (t) => {
  const path = join(createTemporaryFolder(t), 'source.db')
  const database = new DatabaseSync(path)
  database.exec(`create table "user" (id, name, email, "emailVerified", "createdAt", "updatedAt");
    create table account (id, "userId", "providerId");
    create table organization (id text, name, slug, "createdAt");
    create table member (id, "organizationId" text, "userId", role, "createdAt");
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 54)
    insert into organization (id) select printf('%03d', n) from number;
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 6000)
    insert into member (id, "organizationId", "userId") select n, organization.id, n from number, organization
    where organization.id in ('001', '002', '004')`)
  database.close()
  const source = await openSource(`sqlite:${path}`)
  t.after(() => source.close())
  const batches = await Array.fromAsync(source.readOrganizations())
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [2, 48, 4],
  )
  assert.equal(new Set(batches.flat().map(({ id }) => id)).size, 54)
})

for (const engine of ['sqlite', 'postgres'] as const)
  test(`openSource reads ids that are large numbers without a change (${engine})`, async (t) => {
    const database = await createTestDatabase(engine)
    t.after(() => database.drop())
    const ids = ['9007199254740993', '9007199254740992']
    await runSql(
      database.url,
      `create table "user" (id bigint, name text, email text, "emailVerified" integer, "createdAt" text, "updatedAt" text);
      create table account (id bigint, "userId" bigint, "providerId" text);
      create table organization (id bigint, name text, slug text, "createdAt" text);
      create table member (id bigint, "organizationId" bigint, "userId" bigint, role text, "createdAt" text);
      insert into organization (id) values (${ids[0]});
      ${ids
        .map(
          (id) => `insert into "user" (id) values (${id});
            insert into account values (${id}, ${id}, 'credential');
            insert into member (id, "organizationId", "userId") values (${id}, ${ids[0]}, ${id});`,
        )
        .join('')}`,
    )
    const source = await openSource(database.url)
    t.after(() => source.close())
    const users = (await Array.fromAsync(source.readUsers())).flat()
    const [organization] = (await Array.fromAsync(source.readOrganizations())).flat()
    assert.deepEqual(users.map(({ id, accounts }) => [id, accounts.map((account) => account.id)]).toSorted(), [
      [ids[1], [ids[1]]],
      [ids[0], [ids[0]]],
    ])
    assert.equal(organization?.id, ids[0])
    assert.deepEqual(organization?.members.map(({ userId }) => userId).toSorted(), ids.toSorted())
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`openSource reads each text as text, a missing id as empty, and the beginning of a long picture (${engine})`, async (t) => {
    const database = await createTestDatabase(engine)
    t.after(() => database.drop())
    await runSql(
      database.url,
      `create table "user" (id text, name bigint, email text, "emailVerified" integer, "createdAt" text, "updatedAt" text,
        role integer, "banReason" text, image text);
      create table account (id text, "userId" text, "providerId" text);
      insert into "user" (name, role, image) values (5, 7, 'data:image/png,${'A'.repeat(5_000)}')`,
    )
    const source = await openSource(database.url)
    t.after(() => source.close())
    const [user] = (await Array.fromAsync(source.readUsers())).flat()
    assert.deepEqual([user?.id, user?.name, user?.email, user?.role, user?.banReason], ['', '5', '', '7', null])
    assert.equal(user?.image?.length, PICTURE_LENGTH_MAXIMUM + 1)
  })

async function runSql(url: string, sql: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length))
    database.exec(sql)
    return database.close()
  }
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}
