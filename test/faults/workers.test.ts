import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { createClient } from '../support/client.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, printedSetupToken, type ServiceProcess, startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { PASSWORD } from '../support/users.ts'

/** Longer than usual, because each worker is a process that starts. */
const START_SECONDS = 90
/** Only Linux lists the processes that start. */
const ON_LINUX = { skip: process.platform !== 'linux' }
const ADA = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }

describe('Workers', () => {
  /** Every test of it leaves two workers. */
  let service: ServiceProcess
  let token: string
  before(async () => {
    service = await startService()
    token = await setUp(service)
  })
  after(() => service?.child.kill('SIGKILL'))

  test('With WORKERS=2, two processes share the port and each accepts the sessions of the other', async () => {
    const answering = () => new Set(logged(service, 'request').map(({ pid }) => pid))
    await until(async () => {
      assert.equal((await getSession(service, token)).user.email, ADA.email)
      return running(service).every((pid) => answering().has(pid))
    }, 'both workers answer')
    assert.equal(running(service).length, 2)
    assert.ok(!answering().has(service.child.pid ?? 0))
    assert.equal(service.output().match(/\/setup#/g)?.length, 1, 'only the parent process prints the setup link')
  })

  test('A killed worker is replaced by one with the settings of the start, also after a change of .env, and sessions stay live', async () => {
    writeFileSync(join(service.folder, '.env'), 'REQUIRE_TWO_FACTOR=unknown\n')
    const known = workers(service)
    const replacedCount = () => logged(service, 'a worker process ended and is replaced').length
    const before = replacedCount()
    process.kill(running(service)[0] ?? 0, 'SIGKILL')
    await until(() => workers(service).length > known.length, 'the replacement listens', START_SECONDS)
    assert.equal(replacedCount(), before + 1)
    const replacement = workers(service).find((pid) => !known.includes(pid))
    await until(async () => {
      assert.equal((await getSession(service, token)).user.email, ADA.email)
      return logged(service, 'request').some(({ pid }) => pid === replacement)
    }, 'the replacement answers')
  })

  test('A worker is replaced once while nothing reads the standard output', async (t) => {
    const service = await start(t)
    const token = await setUp(service)
    service.child.stdout?.destroy()
    const [victim = 0, other] = workers(service)
    process.kill(victim, 'SIGKILL')
    await until(() => workers(service).length === 3, 'the replacement listens', START_SECONDS)
    const replacement = workers(service).find((pid) => pid !== victim && pid !== other)
    await until(async () => {
      await getSession(service, token).catch(() => {})
      return logged(service, 'request').some(({ pid }) => pid === replacement)
    }, 'the replacement answers')
    assert.equal(logged(service, 'a worker process ended and is replaced').length, 1)
    await end(service)
  })

  test('A worker that is killed during its start is replaced while the others serve requests', ON_LINUX, async () => {
    process.kill(running(service)[0] ?? 0, 'SIGKILL')
    for (const killed of [1, 2]) {
      await killStarting(service)
      await until(() => logged(service, 'a worker process did not come up').length === killed, 'the kill is logged')
      assert.equal((await getSession(service, token)).user.email, ADA.email)
    }
    await until(() => running(service).length === 2, 'two workers listen', START_SECONDS)
  })

  test(
    'Five workers in a row that are killed during their start end the service with code 1 and the reason',
    ON_LINUX,
    async (t) => {
      const service = await start(t, { hasShortWaits: true })
      process.kill(workers(service)[0] ?? 0, 'SIGKILL')
      const failed = () => logged(service, 'a worker process did not come up').length
      const hasEnded = () => service.child.exitCode !== null
      // A busy machine may also kill the other worker as frozen. Then two starts fail at one moment, which count as one.
      for (let count = 1; !hasEnded(); count = failed() + 1) {
        await killStarting(service, hasEnded)
        await until(() => hasEnded() || failed() >= count, 'the kill is logged')
      }
      assert.ok(failed() >= 5)
      assert.equal(await service.ended, 1)
      assert.match(service.output(), /\n5 worker processes in a row did not come up/)
      assert.deepEqual(running(service), [])
    },
  )

  test('A frozen worker is replaced and sessions stay live, and SIGTERM ends a service with a frozen worker', async (t) => {
    const service = await start(t, { hasShortWaits: true })
    const token = await setUp(service)
    const [frozen = 0] = workers(service)
    process.kill(frozen, 'SIGSTOP')
    // A busy machine may also kill the other worker.
    const isKilled = () => logged(service, 'a worker process does not answer and is killed').length >= 1
    await until(isKilled, 'the frozen worker is killed')
    const isReplaced = () => !isRunning(frozen) && running(service).length === 2
    await until(isReplaced, 'the replacement listens', START_SECONDS)
    assert.equal((await getSession(service, token)).user.email, ADA.email)
    const [another = 0] = running(service)
    process.kill(another, 'SIGSTOP')
    await end(service)
  })

  test('All workers end when the parent process is killed', async (t) => {
    const service = await start(t)
    service.child.kill('SIGKILL')
    await until(() => running(service).length === 0, 'the workers have ended')
  })
})

async function start(t: TestContext, limits = {}): Promise<ServiceProcess> {
  const service = await startService(limits)
  t.after(() => service.child.kill('SIGKILL'))
  return service
}

/** Its database stays until PostgreSQL ends. */
async function startService(limits = {}): Promise<ServiceProcess> {
  const testDatabase = await createMigratedDatabase('postgres')
  const environment = { WORKERS: '2', SECRET: newSecret(), LOG_LEVEL: 'debug' }
  const service = await startProcess(testDatabase.url, environment, limits)
  await until(() => workers(service).length === 2, 'both workers listen', START_SECONDS)
  return service
}

async function setUp(service: ServiceProcess): Promise<string> {
  const setup = { ...ADA, token: printedSetupToken(service) }
  const { status, body } = await createClient(service.baseUrl).post('/api/setup', setup)
  assert.equal(status, 200, JSON.stringify(body))
  return body.token
}

/** Kills a worker that does not listen yet, unless the service has ended. */
async function killStarting(service: ServiceProcess, hasEnded = () => false): Promise<void> {
  const { pid } = service.child
  let starting: number | undefined
  await until(
    () => {
      if (hasEnded()) return true
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
      starting = children.map(Number).find((child) => !workers(service).includes(child))
      return starting !== undefined
    },
    'a worker starts',
    START_SECONDS,
  )
  if (starting !== undefined) process.kill(starting, 'SIGKILL')
}

/** Uses a new connection each time, because one worker answers all requests of a connection. */
async function getSession({ baseUrl }: ServiceProcess, token: string) {
  const options = { agent: false, headers: { authorization: `Bearer ${token}` } } as const
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
    get(`${baseUrl}/api/auth/get-session`, options, resolve).on('error', reject),
  )
  return (await json(response)) as { user: { email: string } }
}

/** Asserts that SIGTERM ends the parent process with code 0, and all workers. */
async function end(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  assert.deepEqual(running(service), [])
}

/** Log lines whose message starts with a text. */
function logged({ output }: ServiceProcess, message: string): { pid: number }[] {
  const lines = output().split('\n')
  return lines.filter((line) => line.includes(`"msg":"${message}`)).map((line) => JSON.parse(line))
}

/** Process ids of the workers, in the order in which they began to listen. */
function workers(service: ServiceProcess): number[] {
  return [...new Set(logged(service, 'Server listening').map(({ pid }) => pid))]
}

function running(service: ServiceProcess): number[] {
  return workers(service).filter(isRunning)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
