import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { readConfig } from '../../server/platform/config/config.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { MIGRATIONS, type Migrations } from '../../server/platform/database/migration.ts'
import { openDatabase } from '../../server/platform/database/open.ts'
import type { Tables } from '../../server/platform/database/tables.ts'
import { createClient } from '../support/client.ts'
import { holdTransaction } from '../support/hold-transaction.ts'
import { copyWithMigrations } from '../support/other-version.ts'
import { startPostgres } from '../support/postgres.ts'
import { newSecret, printedSetupToken, runAccounts, startProcess } from '../support/process.ts'
import { SteadyLoad } from '../support/steady-load.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

/** `npm run test:long` uses more sessions. */
const SESSIONS = Number(process.env.MIGRATED_SESSIONS ?? 10_000)
/** About 30,000 sessions a second are filled without load. */
const FILL_SECONDS = 30 + SESSIONS / 1_000
const EMAIL = 'ada@example.com'

const QUICK: Migrations = {
  '9000-country': {
    kind: 'expand',
    up: ({ schema }) => schema.alterTable('sessions').addColumn('country', 'text').execute(),
  },
}
const LATER_MIGRATIONS = {
  '9000-country': 'export const up = () => Promise.reject(new Error("It is applied already"))',
  '9001-countries': `
    import { sql } from 'kysely'
    export const kind = 'expand'
    export async function online({ backfill, createIndex }) {
      await backfill({ table: 'sessions', key: 'id', pending: sql\`country is null\`, set: sql\`set country = 'unknown'\` })
      await createIndex('sessions_country', sql\`on sessions (country)\`)
    }`,
}

test(`A later version fills and indexes ${SESSIONS} sessions while this one serves, although it is killed twice`, async (t) => {
  // Doctor fails on a server that is not durable.
  const postgres = await startPostgres({ durable: true })
  t.after(() => postgres.stop())
  const testDatabase = await postgres.createDatabase()
  const environment = { DATABASE_URL: testDatabase.url, SECRET: newSecret() }
  const service = await startProcess(testDatabase.url, environment)
  t.after(() => service.child.kill('SIGKILL'))
  const client = createClient(service.baseUrl)
  const setup = { token: printedSetupToken(service), name: 'Ada Admin', email: EMAIL, password: PASSWORD }
  assert.equal((await client.post('/api/setup', setup)).status, 200)
  const { database, close } = openDatabase(readConfig(environment).database, () => {})
  t.after(close)
  await insertSessions(database)
  await migrate(database, { ...MIGRATIONS, ...QUICK })
  const load = new SteadyLoad()
  t.after(() => load.end())
  load.add(
    () => client.get('/api/auth/get-session'),
    () => client.post('/api/auth/update-user', { name: 'Ada Adams' }),
    () => createClient(service.baseUrl).post('/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD }),
  )
  await load.answers(10)

  const mainFile = await copyWithMigrations(t, LATER_MIGRATIONS)
  const startMigration = () => {
    const running = runAccounts(['migrate'], environment, { mainFile })
    t.after(() => running.child.kill('SIGKILL'))
    return running
  }
  const kill = async ({ child, ended }: ReturnType<typeof startMigration>) => {
    child.kill('SIGKILL')
    await ended
  }

  const changeSession = (id: string) =>
    holdTransaction(t, environment.DATABASE_URL, `update sessions set "updatedAt" = 2 where id = '${id}'`)
  const endFirst = await changeSession('ses_1')
  const first = startMigration()
  await until(async () => (await countFilled(database)) > 0, 'some sessions are filled')
  await kill(first)
  const filled = await countFilled(database)
  assert.ok(filled < SESSIONS, `${filled} of ${SESSIONS} sessions are filled`)

  // The build of an index waits for open transactions that change its table. The backfill does not wait for a filled
  // row.
  const [done = ''] = await listFilled(database)
  const endSecond = await changeSession(done)
  endFirst()
  const second = startMigration()
  await until(async () => (await findIndex(database)) !== undefined, 'the index is being built', FILL_SECONDS)
  assert.equal(await countFilled(database), SESSIONS)
  await kill(second)

  const third = startMigration()
  await until(() => third.output().includes('begun by an interrupted process'), 'the third process waits for the build')
  endSecond()
  assert.equal(await third.ended, 0, third.output())
  assert.match(third.output(), /^Applied 9001-countries\.$/m)
  assert.deepEqual(await findIndex(database), { isValid: true })

  const outcomes = await load.end()
  t.diagnostic(`requests by outcome: ${JSON.stringify(outcomes)}, longest ${Math.round(load.longestMilliseconds)} ms`)
  assert.deepEqual(Object.keys(outcomes), ['200'])
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  await assertStarts(t, environment)
})

/** Asserts that this version works on the database of the later version. */
async function assertStarts(t: TestContext, environment: { DATABASE_URL: string; SECRET: string }): Promise<void> {
  const service = await startProcess(environment.DATABASE_URL, environment)
  t.after(() => service.child.kill('SIGKILL'))
  const client = createClient(service.baseUrl)
  assert.equal((await client.post('/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD })).status, 200)
  assert.equal((await client.get('/readyz')).status, 200)
  const doctor = runAccounts(['doctor'], environment)
  assert.equal(await doctor.ended, 0, doctor.output())
  const migrate = runAccounts(['migrate'], environment)
  assert.equal(await migrate.ended, 0)
  assert.match(migrate.output(), /^The database is up to date\.$/m)
}

async function listFilled(database: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{
    id: string
  }>`select id from sessions where country is not null and "userId" = 'usr_many' order by id`.execute(database)
  return rows.map(({ id }) => id)
}

async function countFilled(database: Kysely<Tables>): Promise<number> {
  return (await listFilled(database)).length
}

async function findIndex(database: Kysely<Tables>): Promise<{ isValid: boolean } | undefined> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('sessions_country')`.execute(database)
  return rows[0]
}

/** Inserts sessions of another user, because a sign-in revokes the oldest sessions of its user. */
async function insertSessions(database: Kysely<Tables>): Promise<void> {
  await sql`insert into users (id, name, email, "emailVerified", role, "createdAt", "updatedAt")
    values ('usr_many', 'Bea', 'bea@example.com', 1, 'user', 1, 1)`.execute(database)
  await sql`insert into sessions
      (id, "userId", "tokenHash", "createdAt", "updatedAt", "expiresAt", "authenticatedAt", "rememberMe")
    select 'ses_' || n, 'usr_many', 'hash ' || n, 1, 1, 4102444800000, 1, 0
    from generate_series(1, ${sql.lit(SESSIONS)}) n`.execute(database)
}
