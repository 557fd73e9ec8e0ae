import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { Config } from '../../server/platform/config/config.ts'
import type { Tables } from '../../server/platform/database/tables.ts'
import { isUnavailable } from '../../server/platform/database/unavailable.ts'
import { startPostgres } from '../support/postgres.ts'
import { onEachDatabase, startService } from '../support/service.ts'
import { administrator, administratorWithOrganization, PASSWORD } from '../support/users.ts'

const UNAVAILABLE = 'SERVICE_UNAVAILABLE'
/** The limit is 2 s. The rest is for a busy test machine. */
const ANSWER_MILLISECONDS = 4_000

test('While another process locks SQLite, writes return 503 and reads succeed, and writes succeed after the lock', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { client, email } = await administrator(service)
  if (service.config.database.engine !== 'sqlite') throw new Error('SQLite only')
  const other = new DatabaseSync(service.config.database.path)
  other.exec('begin immediate')
  const startedAt = performance.now()
  const refused = await client.post('/api/auth/update-user', { name: 'Ada Again' })
  assert.deepEqual([refused.status, refused.body.code], [503, UNAVAILABLE])
  assert.ok(performance.now() - startedAt < ANSWER_MILLISECONDS)
  assert.equal((await client.get('/readyz')).status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await client.get('/api/auth/get-session')).body.user.email, email)
  other.exec('rollback')
  other.close()
  assert.equal((await service.client().post('/api/auth/sign-in/email', { email, password: PASSWORD })).status, 200)
})

test('A write waits for a short lock of another process', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { email } = await administrator(service)
  if (service.config.database.engine !== 'sqlite') throw new Error('SQLite only')
  const other = new DatabaseSync(service.config.database.path)
  other.exec('begin immediate')
  const waiting = service.client().post('/api/auth/sign-in/email', { email, password: PASSWORD })
  setTimeout(() => other.exec('commit'), 200)
  assert.equal((await waiting).status, 200)
  other.close()
})

test('CVE-2026-73421: without PostgreSQL, every route that needs it returns 503, and recovers without a restart', async (t) => {
  const postgres = await startPostgres({ durable: true })
  t.after(() => postgres.stop())
  const { url } = await postgres.createDatabase()
  const service = await startService({ engine: 'postgres', environment: { DATABASE_URL: url } })
  t.after(() => service.stop())
  const { client, email, organization } = await administratorWithOrganization(service)
  const paths = [
    '/api/auth/get-session',
    `/api/token?org=${organization.slug}`,
    '/api/auth/organization/list',
    '/api/auth/jwks',
    '/readyz',
  ]
  for (const path of paths) assert.equal((await client.get(path)).status, 200, path)

  const inFlight = sql`select pg_sleep(60)`.execute(service.context.database)
  inFlight.catch(() => {})
  // When another request is answered, the service already processes the one before.
  await sql`select 1`.execute(service.context.database)
  await postgres.kill()
  await assert.rejects(inFlight, (error) => isUnavailable(error))
  for (const path of paths) {
    const answer = await client.get(path)
    assert.deepEqual([answer.status, answer.body.code], [503, UNAVAILABLE], path)
    assert.doesNotMatch(JSON.stringify(answer.body), /ECONN|postgres|127\.0\.0\.1/)
  }
  const signIn = () => service.client().post('/api/auth/sign-in/email', { email, password: PASSWORD })
  assert.equal((await signIn()).status, 503)
  assert.equal((await client.get('/healthz')).status, 200)

  await postgres.restart()
  for (const path of paths) assert.equal((await client.get(path)).status, 200, path)
  assert.equal((await signIn()).status, 200)
})

onEachDatabase('Damaged data', (service) => {
  test('CVE-2026-73421: with damaged keys or tables, no token is signed, no session is accepted and no cause is returned', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const { database } = service().context
    const path = `/api/token?org=${organization.slug}`
    assert.equal((await client.get(path)).status, 200)
    const other = await startService({ engine: service().engine, beside: service() })
    const anonymous = other.client()
    anonymous.cookies.set('session', client.cookies.get('session') ?? '')
    const keys = await database.selectFrom('signingKeys').select(['id', 'encryptedPrivateJwk']).execute()
    const saveEncrypted = (id: string, encryptedPrivateJwk: string) =>
      database.updateTable('signingKeys').set({ encryptedPrivateJwk }).where('id', '=', id).execute()
    for (const { id, encryptedPrivateJwk } of keys) await saveEncrypted(id, encryptedPrivateJwk.replace(/.$/, '~'))
    const refused = await anonymous.get(path)
    assert.deepEqual(refused.body, { code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong on our side.' })
    assert.equal(refused.status, 500)
    const readiness = await anonymous.get('/readyz')
    assert.deepEqual([readiness.status, readiness.body.code], [503, UNAVAILABLE])
    assert.match(readiness.body.message, /SECRET does not decrypt the key/)
    for (const { id, encryptedPrivateJwk } of keys) await saveEncrypted(id, encryptedPrivateJwk)
    assert.equal((await anonymous.get('/readyz')).status, 200)
    await other.stop()

    const rename = (from: string, to: string) => renameTable(service().config.database, database, from, to)
    await rename('sessions', 'sessions_away')
    for (const url of ['/api/auth/get-session', path, '/api/auth/organization/list']) {
      const answer = await client.get(url)
      assert.equal(answer.status, 500, url)
      assert.doesNotMatch(JSON.stringify(answer.body), /sessions|select|table/i)
    }
    await rename('sessions_away', 'sessions')
    assert.equal((await client.get(path)).status, 200)
  })
})

/** Uses another connection on SQLite, like an operator: a service notices schema changes on its own connection. */
async function renameTable(
  config: Config['database'],
  database: Kysely<Tables>,
  from: string,
  to: string,
): Promise<void> {
  if (config.engine === 'postgres') return database.schema.alterTable(from).renameTo(to).execute()
  const file = new DatabaseSync(config.path)
  file.exec(`alter table "${from}" rename to "${to}"`)
  file.close()
}
