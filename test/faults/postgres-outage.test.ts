import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { AnswerLimit } from '../support/answer-limit.ts'
import { type Client, createClient } from '../support/client.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { newSecret, printedSetupToken, type ServiceProcess, startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

const ADA = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
const LONG_OUTAGE_MILLISECONDS = 9_000
const SHORT_OUTAGE_MILLISECONDS = 4_000
/** `npm run test:long` stops the server for 30 s. */
const STOP_MILLISECONDS = Number(process.env.STOP_MILLISECONDS ?? SHORT_OUTAGE_MILLISECONDS)
const PAUSE_MILLISECONDS = 250

/** One origin for both processes, as behind a load balancer. */
const BASE_URL = 'https://accounts.example.com'

describe('PostgreSQL outages', () => {
  let postgres: Postgres
  let databaseUrl: string
  let proxy: DatabaseProxy
  let processes: ServiceProcess[]
  let token: string
  let machine: { client_id: string; client_secret: string }
  /** Undefined while the processes begin to serve. */
  let limit: AnswerLimit | undefined

  before(async () => {
    postgres = await startPostgres({ durable: true })
    databaseUrl = (await postgres.createDatabase()).url
    proxy = await startDatabaseProxy(databaseUrl)
    const environment = { SECRET: newSecret(), BASE_URL, SMTP_URL: 'smtp://127.0.0.1:1', LOG_LEVEL: 'silent' }
    processes = [await startProcess(proxy.url, environment), await startProcess(proxy.url, environment)]
    const setup = { ...ADA, token: printedSetupToken(processes.at(-1) as ServiceProcess) }
    const { status, body } = await ask(processes[0] as ServiceProcess).post('/api/setup', setup, { headers: ORIGIN })
    assert.equal(status, 200, JSON.stringify(body))
    token = body.token
    const created = await ask(processes[0] as ServiceProcess).post(
      '/api/auth/oauth2/create-client',
      { client_name: 'Machine', grant_types: ['client_credentials'], ownedBy: 'service' },
      { headers: { ...ORIGIN, authorization: `Bearer ${token}` } },
    )
    machine = created.body
    assert.ok(machine.client_secret, JSON.stringify(created.body))
    // The first requests of a process compile its code. On a busy machine, that exceeds the limits of later requests.
    await until(async () => isHealthy(await statuses()), 'both processes serve')
    limit = new AnswerLimit(processes.map(({ port }) => `http://localhost:${port}`))
  })
  after(async () => {
    await limit?.stop()
    for (const { child } of processes) child.kill('SIGKILL')
    await proxy.close()
    await postgres.stop()
  })

  const ORIGIN = { origin: BASE_URL }
  const ask = ({ port }: ServiceProcess) => createClient(`http://localhost:${port}`)

  /** Concurrent requests that need the database, to both processes: reads, changes, a long list and readiness. */
  async function statuses(): Promise<Set<number>> {
    const bearer = { headers: { ...ORIGIN, authorization: `Bearer ${token}` } }
    const { email, password } = ADA
    const requests = processes
      .map(ask)
      .flatMap((client) => [
        () => client.get('/api/auth/get-session', bearer),
        () => client.get('/api/auth/admin/list-users', bearer),
        () => client.post('/api/auth/update-user', { name: ADA.name }, bearer),
        () => client.post('/api/auth/sign-in/email', { email, password }, { headers: ORIGIN }),
        () => client.get('/readyz'),
        () => askToken(client),
      ])
    return new Set(await Promise.all(requests.map((request) => answered(request))))
  }

  /** Refusals have the form of RFC 6749, section 5.2. */
  async function askToken(client: Client): Promise<{ status: number }> {
    const { client_id, client_secret } = machine
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id })
    const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
    const answer = await client.post('/api/auth/oauth2/token', undefined, {
      rawBody: form.toString(),
      headers: {
        ...ORIGIN,
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    if (answer.status === 503) assert.equal(answer.body.error, 'temporarily_unavailable', JSON.stringify(answer.body))
    return answer
  }

  const answered = async (request: () => Promise<{ status: number }>) =>
    (await (limit ? limit.inTime(request.toString(), request) : request())).status

  /** Sends requests during the outage, which must return 503, and then until all return 200. */
  async function outage(milliseconds: number, begin: () => unknown, end: () => unknown): Promise<void> {
    await begin()
    const endsAt = performance.now() + milliseconds
    const rounds: Promise<Set<number>>[] = []
    while (performance.now() < endsAt) {
      rounds.push(statuses())
      await pause(PAUSE_MILLISECONDS)
    }
    for (const round of await Promise.all(rounds)) assert.deepEqual(round, new Set([503]))
    await end()
    await recovery()
  }

  async function recovery(): Promise<void> {
    assert.ok(limit)
    await limit.recovery(async () => isHealthy(await statuses()), 3)
  }

  const isHealthy = (answers: Set<number>) => answers.size === 1 && answers.has(200)

  test('While the network drops all packets, requests return 503 in time, and they succeed afterwards', () =>
    outage(
      LONG_OUTAGE_MILLISECONDS,
      () => proxy.set('black hole'),
      () => proxy.set('open'),
    ))

  test('After the network has dropped all idle connections, requests succeed on new connections', async () => {
    proxy.set('black hole')
    proxy.set('open')
    await recovery()
  })

  test('While the network stalls, requests return 503 in time, and they succeed afterwards', () =>
    outage(
      SHORT_OUTAGE_MILLISECONDS,
      () => proxy.set('paused'),
      () => proxy.set('open'),
    ))

  test('While the network refuses connections, requests return 503 in time, and they succeed afterwards', () =>
    outage(
      SHORT_OUTAGE_MILLISECONDS,
      () => proxy.cut(),
      () => proxy.set('open'),
    ))

  test('While PostgreSQL is stopped by SIGSTOP, requests return 503 in time, and they succeed after SIGCONT', async () => {
    let thaw = () => {}
    await outage(
      STOP_MILLISECONDS,
      async () => {
        thaw = await postgres.freeze()
      },
      () => thaw(),
    )
  })

  test('While a list of users is read, SIGSTOP of PostgreSQL ends it with 503 in time', async (t) => {
    const client = ask(processes[0] as ServiceProcess)
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    const operator = await connect(t)
    await operator.query('begin')
    await operator.query('lock table users in access exclusive mode')
    const list = answered(() => client.get('/api/auth/admin/list-users', bearer))
    await until(async () => {
      const { rows } = await operator.query(
        `select count(*)::int as count from pg_locks where not granted and relation = 'users'::regclass`,
      )
      return rows[0].count > 0
    }, 'the list waits')
    const thaw = await postgres.freeze()
    t.after(thaw)
    assert.equal(await list, 503)
    thaw()
    await operator.query('rollback')
    await recovery()
  })

  test('While a table is locked, 200 requests return 503 in time, and they succeed afterwards', async (t) => {
    const operator = await connect(t)
    await operator.query('begin')
    await operator.query('lock table users in access exclusive mode')
    const bearer = { headers: { ...ORIGIN, authorization: `Bearer ${token}` } }
    const { email, password } = ADA
    const requests = Array.from({ length: 50 }, () => processes.map(ask)).flatMap((clients) =>
      clients.flatMap((client) => [
        () => client.post('/api/auth/update-user', { name: ADA.name }, bearer),
        () => client.post('/api/auth/sign-in/email', { email, password }, { headers: ORIGIN }),
      ]),
    )
    assert.equal(requests.length, 200)
    const answers = await Promise.all(requests.map((request) => answered(request)))
    assert.deepEqual(new Set(answers), new Set([503]))
    await operator.query('rollback')
    await recovery()
  })

  test('After the server has closed all connections, requests succeed on new connections', async (t) => {
    const operator = await connect(t)
    const { rowCount } = await operator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    assert.ok((rowCount ?? 0) > 0)
    await recovery()
  })

  /** A connection past the proxy, such as psql. */
  async function connect(t: TestContext): Promise<pg.Client> {
    const client = new pg.Client(databaseUrl)
    client.on('error', () => {})
    await client.connect()
    t.after(() => client.end())
    return client
  }

  test('When the answer to a COMMIT is lost, the request returns 503 and the change is complete', async () => {
    const [first, second] = processes.map(ask)
    const bearer = { headers: { ...ORIGIN, authorization: `Bearer ${token}` } }
    proxy.loseCommitAfter('update "users"')
    const changed = await first?.post('/api/auth/update-user', { name: 'Ada Renamed' }, bearer)
    assert.equal(changed?.status, 503)
    const { body } = (await second?.get('/api/auth/get-session', bearer)) ?? {}
    assert.equal(body.user.name, 'Ada Renamed')
  })
})
