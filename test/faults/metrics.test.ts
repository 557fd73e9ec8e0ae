import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { createClient } from '../support/client.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { getFreePort } from '../support/free-port.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import type { TestDatabase } from '../support/postgres.ts'
import { newSecret, printedSetupToken, startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'

const REQUESTS = 10

for (const WORKERS of ['1', '2']) {
  test(`The metrics count every request, also without the database, and end at a stop (WORKERS=${WORKERS})`, {
    timeout: 60_000,
  }, async (t) => {
    const testDatabase = await createMigratedDatabase('postgres')
    t.after(() => testDatabase.drop())
    const proxy = await startDatabaseProxy(testDatabase.url)
    t.after(() => proxy.close())
    const { port, metricsPort, metrics, child, ended } = await start(proxy.url, { WORKERS })
    t.after(() => child.kill('SIGKILL'))
    for (let count = 0; count < REQUESTS; count += 1)
      assert.equal((await ask(`http://localhost:${port}/healthz`)).status, 200)
    const counted = /^http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} (\d+)$/m
    const count = async () => Number(counted.exec((await metrics()).body)?.[1] ?? 0)
    await until(async () => (await count()) >= REQUESTS, 'each request is counted, after its response is sent')
    const { type, body } = await metrics()
    assert.equal(counted.exec(body)?.[1], String(REQUESTS))
    assert.match(type ?? '', /^text\/plain; version=/)
    for (const name of ['accounts_logouts_waiting', 'accounts_logouts_oldest_waiting_seconds'])
      assert.match(body, new RegExp(`^${name} 0$`, 'm'))
    assert.equal((await ask(`http://localhost:${metricsPort}/other`)).status, 404)
    assert.equal((await ask(`http://localhost:${metricsPort}/metrics`, 'evil.example')).status, 421)
    assert.equal((await ask(`http://localhost:${port}/metrics`)).status, 404)

    // A database that accepts connections, but does not answer.
    proxy.set('paused')
    const withoutDatabase = await metrics()
    assert.equal(withoutDatabase.status, 200)
    assert.match(withoutDatabase.body, /^accounts_logouts_waiting Nan$/m)
    proxy.set('open')

    // HOST is localhost, so both loopback addresses serve. On each, one connection is idle and one request incomplete.
    for (const address of ['127.0.0.1', '[::1]']) {
      for (const sent of ['', 'GET /metrics HTTP/1.1\r\n']) {
        const held = connect(Number(metricsPort), address.replace(/[[\]]/g, ''))
        t.after(() => held.destroy())
        await once(held, 'connect')
        held.write(sent)
      }
      // The answer to a later request shows that the first half has arrived.
      assert.equal((await ask(`http://${address}:${metricsPort}/metrics`)).status, 200)
    }
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })
}

describe('Metrics of two workers', () => {
  let testDatabase: TestDatabase
  let service: Awaited<ReturnType<typeof start>>
  before(async () => {
    testDatabase = await createMigratedDatabase('postgres')
    service = await start(testDatabase.url, { WORKERS: '2' })
  })
  after(async () => {
    service?.child.kill('SIGKILL')
    await testDatabase?.drop()
  })

  test('The metrics count the signed tokens of each organization over all workers', async () => {
    const client = createClient(service.baseUrl)
    const admin = { name: 'Ada Admin', email: 'admin@example.com', password: 'correct horse battery staple' }
    await client.post('/api/setup', { ...admin, token: printedSetupToken(service) })
    const tokenCounts = { 'first-works': 3, 'second-works': 1 }
    for (const [slug, count] of Object.entries(tokenCounts)) {
      await client.post('/api/auth/organization/create', { name: 'Example Works', slug })
      for (let token = 0; token < count; token += 1)
        assert.equal((await client.get(`/api/token?org=${slug}`)).status, 200)
      assert.equal((await client.get('/api/token?org=no-such-works')).status, 404)
    }
    const { body } = await service.metrics()
    const counts = body.matchAll(/^accounts_tokens_minted_total\{organization="([^"]+)"\} (\d+)$/gm)
    assert.deepEqual(Object.fromEntries([...counts].map(([, slug, count]) => [slug, Number(count)])), tokenCounts)
  })

  /** The workers that listen and were not killed. */
  function workers(): number[] {
    const listening = service.output().matchAll(/"pid":(\d+).*"msg":"Server listening/g)
    return [...new Set([...listening].map(([, pid]) => Number(pid)))].filter(isRunning)
  }

  async function killWorker(whileReplaced: () => Promise<void> = async () => {}): Promise<void> {
    await until(() => workers().length === 2, 'both workers listen')
    const [killed = 0] = workers()
    process.kill(killed, 'SIGKILL')
    await until(async () => {
      await whileReplaced()
      return workers().length === 2 && !workers().includes(killed)
    }, 'the replacement listens')
  }

  test('No counter decreases when a worker is killed and replaced, and gauges are those of live workers', {
    timeout: 60_000,
  }, async () => {
    const read = async () => (await service.metrics()).body
    const requests = 'http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}'
    for (let round = 1; round <= 3; round += 1) {
      for (let count = 0; count < REQUESTS; count += 1) await ask(`${service.baseUrl}/healthz`)
      await until(async () => countersOf(await read()).get(requests) === round * REQUESTS, 'each request is counted')
      const before = await read()
      await killWorker()
      const maximumOf = (body: string) => /^process_max_fds (\d+)$/m.exec(body)?.[1]
      await until(async () => maximumOf(await read()) === maximumOf(before), 'the replacement is measured')
      const after = countersOf(await read())
      for (const [name, value] of countersOf(before))
        assert.ok((after.get(name) ?? 0) >= value, `${name}: ${after.get(name)} after ${value}`)
      assert.equal(after.get(requests), round * REQUESTS)
    }
  })

  test('The metrics are served while a worker is replaced, and fail while one is frozen', {
    timeout: 60_000,
  }, async () => {
    const status = async () => (await service.metrics()).status
    await killWorker(async () => assert.equal(await status(), 200))
    assert.equal(await status(), 200)

    const frozen = workers().at(-1) ?? 0
    process.kill(frozen, 'SIGSTOP')
    assert.equal(await status(), 503)
    process.kill(frozen, 'SIGCONT')
    assert.equal(await status(), 200)
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The values of all counters and histograms, by name and labels. */
function countersOf(body: string): Map<string, number> {
  const names = [...body.matchAll(/^# TYPE (\S+) (?:counter|histogram)$/gm)].map(([, name]) => name)
  const line = new RegExp(`^((?:${names.join('|')})(?:_bucket|_sum|_count)?(?:\\{.*\\})?) (\\S+)$`, 'gm')
  return new Map([...body.matchAll(line)].map(([, name, value]) => [name ?? '', Number(value)]))
}

/** The caller ends the process. */
async function start(databaseUrl: string, environment: Record<string, string>) {
  const metricsPort = String(await getFreePort())
  const settings = { ...environment, METRICS_PORT: metricsPort, SECRET: newSecret() }
  const service = await startProcess(databaseUrl, settings)
  return { ...service, metricsPort, metrics: () => ask(`http://localhost:${metricsPort}/metrics`) }
}

/** Uses a new connection, which any worker may accept. */
async function ask(url: string, host = new URL(url).host) {
  const [response] = await once(get(url, { agent: false, headers: { host } }), 'response')
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
}
