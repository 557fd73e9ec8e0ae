import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { newSecret, printedSetupToken, type ServiceProcess, startProcess } from '../support/process.ts'
import { PASSWORD } from '../support/users.ts'

const ADA = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
/** 503 is due within 2 s; the rest is for a busy machine. */
const ANSWER_MILLISECONDS = 4_000
/** All is well 5 s after the database is back; the rest is for a busy machine. */
const RECOVERY_MILLISECONDS = 10_000
const LONG_OUTAGE_MILLISECONDS = 9_000
const SHORT_OUTAGE_MILLISECONDS = 4_000
const PAUSE_MILLISECONDS = 250

/** Two processes on one PostgreSQL, which both reach over a network that fails. */
/** One origin for both processes, as behind a balancer. */
const BASE_URL = 'https://accounts.example.com'

describe('A PostgreSQL that is away', () => {
  let postgres: Postgres
  let proxy: DatabaseProxy
  let processes: ServiceProcess[]
  let token: string

  before(async () => {
    postgres = await startPostgres({ durable: true })
    proxy = await startDatabaseProxy((await postgres.createDatabase()).url)
    const environment = { SECRET: newSecret(), BASE_URL, SMTP_URL: 'smtp://127.0.0.1:1', LOG_LEVEL: 'silent' }
    processes = [await startProcess(proxy.url, environment), await startProcess(proxy.url, environment)]
    const setup = { ...ADA, token: printedSetupToken(processes.at(-1) as ServiceProcess) }
    const { status, body } = await ask(processes[0] as ServiceProcess).post('/api/setup', setup, { headers: ORIGIN })
    assert.equal(status, 200, JSON.stringify(body))
    token = body.token
    assert.deepEqual(await statuses(), new Set([200]))
  })
  after(async () => {
    for (const { child } of processes) child.kill('SIGKILL')
    await proxy.close()
    await postgres.stop()
  })

  const ORIGIN = { origin: BASE_URL }
  const ask = ({ port }: ServiceProcess) => createClient(`http://localhost:${port}`)

  /** All that needs the database: reads, a change, a list that may take long, and readiness; of both processes at once. */
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
      ])
    return new Set(await Promise.all(requests.map((request) => answered(request))))
  }

  async function answered(request: () => Promise<{ status: number }>): Promise<number> {
    const startedAt = performance.now()
    const { status } = await request()
    const milliseconds = performance.now() - startedAt
    assert.ok(milliseconds < ANSWER_MILLISECONDS, `${status} after ${milliseconds} ms`)
    return status
  }

  /** Asks all the time while the database is away, then until all is well. */
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
    const wellBy = performance.now() + RECOVERY_MILLISECONDS
    while (!isWell(await statuses())) assert.ok(performance.now() < wellBy, 'it does not recover')
    for (let round = 0; round < 3; round += 1) assert.ok(isWell(await statuses()), 'it stays well')
  }

  const isWell = (answers: Set<number>) => answers.size === 1 && answers.has(200)

  test('behind a network that swallows everything is answered with 503 in time, and is used again when it is back', () =>
    outage(
      LONG_OUTAGE_MILLISECONDS,
      () => proxy.set('black hole'),
      () => proxy.set('open'),
    ))

  test('behind a network that forgot all connections while they were idle is used on new ones', async () => {
    proxy.set('black hole')
    proxy.set('open')
    await recovery()
  })

  test('behind a network that stalls is answered with 503 in time, and is used again when it is back', () =>
    outage(
      SHORT_OUTAGE_MILLISECONDS,
      () => proxy.set('paused'),
      () => proxy.set('open'),
    ))

  test('behind a network that is cut is answered with 503 in time, and is used again when it is back', () =>
    outage(
      SHORT_OUTAGE_MILLISECONDS,
      () => proxy.cut(),
      () => proxy.set('open'),
    ))

  test('and frozen (SIGSTOP) is answered with 503 in time, and is used again when it goes on', async () => {
    let thaw = () => {}
    await outage(
      SHORT_OUTAGE_MILLISECONDS,
      async () => {
        thaw = await postgres.freeze()
      },
      () => thaw(),
    )
  })

  test('when the answer to a COMMIT is lost, the request is 503 and never 200, and the change is whole', async () => {
    const [first, second] = processes.map(ask)
    const bearer = { headers: { ...ORIGIN, authorization: `Bearer ${token}` } }
    proxy.loseCommitAfter('update "users"')
    const changed = await first?.post('/api/auth/update-user', { name: 'Ada Renamed' }, bearer)
    assert.equal(changed?.status, 503)
    const { body } = (await second?.get('/api/auth/get-session', bearer)) ?? {}
    assert.equal(body.user.name, 'Ada Renamed')
  })
})
