import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AnswerLimit } from '../support/answer-limit.ts'
import { type Client, createClient } from '../support/client.ts'
import { runEveryPostgresTest } from '../support/every-postgres-test.ts'
import { PGBOUNCER_IS_MISSING, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { type Postgres, query, startPostgres } from '../support/postgres.ts'
import { newSecret, printedSetupToken, runAccounts, type ServiceProcess, startProcess } from '../support/process.ts'
import { PASSWORD } from '../support/users.ts'

const OUTAGE_MILLISECONDS = 1_500

if (PGBOUNCER_IS_MISSING) console.warn(`SKIPPED: the tests behind PgBouncer. ${PGBOUNCER_IS_MISSING}`)

describe('PgBouncer in transaction mode', { skip: PGBOUNCER_IS_MISSING }, () => {
  let postgres: Postgres
  let bouncer: PgBouncer

  before(async () => {
    postgres = await startPostgres({ durable: true })
    bouncer = await startPgBouncer(postgres.port, 'postgres', postgres.cluster.password)
  })
  after(async () => {
    await bouncer?.stop()
    await postgres?.stop()
  })

  const throughBouncer = (url: string) => url.replace(`:${postgres.port}/`, `:${bouncer.port}/`)

  const doctor = async (DATABASE_URL: string) => {
    const { ended, output } = runAccounts(['doctor'], { DATABASE_URL, SECRET: newSecret() })
    await ended
    return output()
  }

  test('doctor fails behind PgBouncer until the role has the time limits', async () => {
    const { url } = await postgres.createDatabase()
    assert.match(
      await doctor(throughBouncer(url)),
      /^FAIL {2}time limits: the server has no idle_in_transaction_session_timeout, lock_timeout, statement_timeout: behind PgBouncer, set them/m,
    )
    await query(postgres.url('postgres'), `alter role postgres set statement_timeout = '10s'`)
    await query(postgres.url('postgres'), `alter role postgres set lock_timeout = '1200ms'`)
    await query(postgres.url('postgres'), `alter role postgres set idle_in_transaction_session_timeout = '4s'`)
    // Connections to the server keep the settings of their start.
    await bouncer.kill()
    await bouncer.restart()
    assert.match(await doctor(throughBouncer(url)), /^ok {4}time limits: the server applies them$/m)
  })

  test('The contract of databases, every route and two processes work behind PgBouncer', async () => {
    await runEveryPostgresTest(throughBouncer(postgres.url('postgres')))
  })

  test('While PgBouncer or PostgreSQL behind it is down, requests return 503 in time, and they succeed within 5 s of its restart', async (t) => {
    const service = await startService(t)
    for (const { kill, restart } of [bouncer, postgres]) {
      await kill()
      await outage(service)
      await restart()
      await service.limit.recovery(async () => {
        const answers = await statuses(service)
        return answers.size === 1 && answers.has(200)
      })
    }
  })

  async function startService(t: { after(end: () => unknown): void }) {
    const { url } = await postgres.createDatabase()
    const service = await startProcess(throughBouncer(url), { SECRET: newSecret(), LOG_LEVEL: 'silent' })
    t.after(() => service.child.kill('SIGKILL'))
    const client = createClient(service.baseUrl)
    const ada = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
    const { status } = await client.post('/api/setup', { ...ada, token: printedSetupToken(service) })
    assert.equal(status, 200)
    const limit = new AnswerLimit([service.baseUrl])
    t.after(() => limit.stop())
    return { service, client, limit }
  }

  type Running = { service: ServiceProcess; client: Client; limit: AnswerLimit }

  async function statuses({ service, client, limit }: Running): Promise<Set<number>> {
    const requests = [
      () => client.get('/api/auth/get-session'),
      () => client.get('/api/auth/admin/list-users'),
      () => client.post('/api/auth/update-user', { name: 'Ada Again' }),
      () =>
        createClient(service.baseUrl).post('/api/auth/sign-in/email', { email: 'ada@example.com', password: PASSWORD }),
      () => client.get('/readyz'),
    ]
    const answers = await Promise.all(requests.map((request) => limit.inTime(request.toString(), request)))
    return new Set(answers.map(({ status }) => status))
  }

  async function outage(running: Running): Promise<void> {
    const endsAt = performance.now() + OUTAGE_MILLISECONDS
    while (performance.now() < endsAt) assert.deepEqual(await statuses(running), new Set([503]))
  }
})
