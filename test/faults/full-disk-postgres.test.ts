import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { AnswerLimit } from '../support/answer-limit.ts'
import { type Answer, type Client, createClient } from '../support/client.ts'
import { type Postgres, query, startPostgres } from '../support/postgres.ts'
import { createCluster } from '../support/postgres-cluster.ts'
import { newSecret, printedSetupToken, type ServiceProcess, startProcess } from '../support/process.ts'
import { fillDisk, whyDiskIsMissing } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

const ADA = { name: 'Ada', email: 'ada@example.com', password: PASSWORD }
/** Enough for a new database, some segments of the write-ahead log (WAL) and a ballast file. */
const DISK_BYTES = 96 * 1024 * 1024
/** Enough for some dozen changes, and too little for a new segment of the WAL. */
const FREE_BYTES = 128 * 1024
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024
/** Enough for some changes. The WAL is full before the tables. */
const FREE_WAL_BYTES = 64 * 1024
const ROUNDS = 4
const PAUSE_MILLISECONDS = 300
const CHANGES_MAXIMUM = 2_000

const skip = whyDiskIsMissing()
if (skip) console.warn(`SKIPPED: the tests of a full disk under PostgreSQL. ${skip}`)

describe('Full disk under PostgreSQL', { skip }, () => {
  let postgres: Postgres
  let service: ServiceProcess
  let ada: Client
  let limit: AnswerLimit
  let unauthenticated: Client[]
  let attempts = 0
  /**
   * The names that the user may have: the last acknowledged name, then the names of changes that were not acknowledged.
   */
  let names: string[] = []

  before(async () => {
    const cluster = await createCluster({ diskBytes: DISK_BYTES })
    // VACUUM would make space in the tables.
    postgres = await startPostgres({ durable: true, cluster, settings: ['autovacuum=off'] })
    const { url } = await postgres.createDatabase()
    service = await startProcess(url, { SECRET: newSecret(), LOG_LEVEL: 'silent' })
    ada = createClient(service.baseUrl)
    limit = new AnswerLimit([service.baseUrl])
    const setup = await ada.post('/api/setup', { ...ADA, token: printedSetupToken(service) })
    assert.equal(setup.status, 200, JSON.stringify(setup.body))
    unauthenticated = [createClient(service.baseUrl), await signedOut()]
    assert.ok(await isHealthy())
  })
  after(async () => {
    await limit?.stop()
    service?.child.kill('SIGKILL')
    await postgres?.stop()
  })

  /** A client with the cookie of a session that was revoked. */
  async function signedOut(): Promise<Client> {
    const client = createClient(service.baseUrl)
    assert.equal((await signIn(client)).status, 200)
    const cookies = [...client.cookies]
    assert.equal((await client.post('/api/auth/sign-out')).status, 200)
    for (const [name, value] of cookies) client.cookies.set(name, value)
    return client
  }

  /** A request that hangs or breaks fails the test. */
  const answered = (request: Promise<Answer>) => limit.inTime('a request', () => request)

  const { email, password } = ADA
  const signIn = (client: Client) => answered(client.post('/api/auth/sign-in/email', { email, password }))
  const readiness = async () => (await answered(ada.get('/readyz'))).status
  const listSessions = async (client: Client) => (await answered(client.get('/api/auth/list-sessions'))).status

  async function rename(): Promise<number> {
    attempts += 1
    const name = `Ada ${attempts}`
    const { status, body } = await answered(ada.post('/api/auth/update-user', { name }))
    assert.ok(status === 200 || body.code === 'SERVICE_UNAVAILABLE', JSON.stringify(body))
    names = status === 200 ? [name] : [...names, name]
    return status
  }

  async function renameUntilFull(): Promise<void> {
    const before = attempts
    while ((await rename()) === 200) assert.ok(attempts < before + CHANGES_MAXIMUM, 'the disk is not full')
    assert.ok(attempts > before + 1, 'the last changes before the disk is full are acknowledged')
  }

  const changes = async () => [await rename(), (await signIn(createClient(service.baseUrl))).status]

  const isHealthy = async () =>
    [...(await changes()), await readiness(), await listSessions(ada)].every((status) => status === 200)

  async function assertNothingIsOpen(): Promise<void> {
    for (const client of unauthenticated) assertOneOf([401, 503], await listSessions(client))
  }

  function assertOneOf(expected: number[], status: number): void {
    assert.ok(expected.includes(status), `${status} is none of ${expected}`)
  }

  async function assertNameIsKept(): Promise<void> {
    const { body } = await ada.get('/api/auth/get-session')
    assert.ok(names.includes(body.user.name), `${body.user.name} is none of ${names}`)
  }

  async function recovery(): Promise<void> {
    await limit.recovery(async () => (await listSessions(ada)) === 200)
    await assertNameIsKept()
    await limit.recovery(isHealthy)
    await assertNothingIsOpen()
    assert.equal(service.child.exitCode, null)
  }

  function fill(t: TestContext): () => void {
    const free = fillDisk(join(postgres.cluster.folder, 'data'), FREE_BYTES)
    t.after(free)
    return free
  }

  test("While tables can't grow, changes return 503 and sessions are checked, and changes succeed after space is freed", async (t) => {
    const free = fill(t)
    await renameUntilFull()
    // Readiness is tested at most once a second.
    await until(async () => (await readiness()) === 503, '/readyz notices the full disk')
    for (let round = 0; round < ROUNDS; round += 1) {
      // A change may still fit into the pages of its tables.
      for (const status of await changes()) assertOneOf([200, 503], status)
      assert.equal(await readiness(), 503)
      assert.equal(await listSessions(ada), 200)
      await assertNothingIsOpen()
      await assertNameIsKept()
      await pause(PAUSE_MILLISECONDS)
    }
    free()
    await recovery()
  })

  test("While the write-ahead log can't grow, PostgreSQL is down and requests return 503, until an operator frees space and starts it", async (t) => {
    const free = fill(t)
    await query(
      postgres.url('postgres'),
      `select pg_logical_emit_message(true, '', repeat('x',
        (${WAL_SEGMENT_BYTES - FREE_WAL_BYTES} - (pg_current_wal_insert_lsn() - '0/0') % ${WAL_SEGMENT_BYTES})::int))`,
    )
    await renameUntilFull()
    // A table may be full first.
    await until(async () => {
      await rename()
      return /database system is shut down/.test(await postgres.cluster.log())
    }, 'PostgreSQL is down')
    assert.match(await postgres.cluster.log(), /PANIC: .* No space left on device/)
    for (let round = 0; round < ROUNDS; round += 1) {
      assert.deepEqual([...(await changes()), await readiness(), await listSessions(ada)], [503, 503, 503, 503])
      assert.equal((await ada.get('/healthz')).status, 200)
      await assertNothingIsOpen()
      await pause(PAUSE_MILLISECONDS)
    }
    free()
    await postgres.restart()
    await recovery()
  })
})
