import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createClient } from '../support/client.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { getFreePort } from '../support/free-port.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, printedSetupToken, startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'

const REQUESTS = 10

for (const WORKERS of ['1', '2']) {
  test(`The metrics count every request, and their port closes during an incomplete request (WORKERS=${WORKERS})`, {
    timeout: 60_000,
  }, async (t) => {
    const testDatabase = await createMigratedDatabase('postgres')
    t.after(() => testDatabase.drop())
    const METRICS_PORT = String(await getFreePort())
    const service = await startProcess(testDatabase.url, { WORKERS, METRICS_PORT, SECRET: newSecret() })
    t.after(() => service.child.kill('SIGKILL'))
    const { port } = service
    for (let count = 0; count < REQUESTS; count += 1)
      assert.equal((await ask(`http://localhost:${port}/healthz`)).status, 200)
    const counted = /^http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} (\d+)$/m
    const metrics = () => ask(`http://localhost:${METRICS_PORT}/metrics`)
    // A request is counted after its response is sent.
    while (Number(counted.exec((await metrics()).body)?.[1] ?? 0) < REQUESTS) t.signal.throwIfAborted()
    const { type, body } = await metrics()
    assert.equal(counted.exec(body)?.[1], String(REQUESTS))
    assert.match(type ?? '', /^text\/plain; version=/)
    for (const name of ['accounts_logouts_waiting', 'accounts_logouts_oldest_waiting_seconds'])
      assert.match(body, new RegExp(`^${name} 0$`, 'm'))
    assert.equal((await ask(`http://localhost:${METRICS_PORT}/other`)).status, 404)
    assert.equal((await ask(`http://localhost:${METRICS_PORT}/metrics`, 'evil.example')).status, 421)
    assert.equal((await ask(`http://localhost:${port}/metrics`)).status, 404)
    const held = connect(Number(METRICS_PORT), 'localhost')
    t.after(() => held.destroy())
    held.write('GET /metrics HTTP/1.1\r\n')
    // The answer to a later request shows that the first half has arrived.
    await metrics()
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })
}

test('The metrics count the signed tokens of each organization over all workers', async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const METRICS_PORT = String(await getFreePort())
  const settings = { WORKERS: '2', METRICS_PORT, SECRET: newSecret() }
  const service = await startProcess(testDatabase.url, settings)
  t.after(() => service.child.kill('SIGKILL'))
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
  const { body } = await ask(`http://localhost:${METRICS_PORT}/metrics`)
  const counts = body.matchAll(/^accounts_tokens_minted_total\{organization="([^"]+)"\} (\d+)$/gm)
  assert.deepEqual(Object.fromEntries([...counts].map(([, slug, count]) => [slug, Number(count)])), tokenCounts)
})

for (const WORKERS of ['1', '2'])
  test(`With WORKERS=${WORKERS}, the metrics are served without the database, and its gauges are not a number`, async (t) => {
    const testDatabase = await createMigratedDatabase('postgres')
    t.after(() => testDatabase.drop())
    const proxy = await startDatabaseProxy(testDatabase.url)
    t.after(() => proxy.close())
    const METRICS_PORT = String(await getFreePort())
    const service = await startProcess(proxy.url, { WORKERS, METRICS_PORT, SECRET: newSecret() })
    t.after(() => service.child.kill('SIGKILL'))
    const metrics = () => ask(`http://localhost:${METRICS_PORT}/metrics`)
    assert.match((await metrics()).body, /^accounts_logouts_waiting 0$/m)
    // A database that accepts connections, but does not answer.
    proxy.set('paused')
    const { status, body } = await metrics()
    assert.equal(status, 200)
    assert.match(body, /^accounts_logouts_waiting Nan$/m)
  })

test('The metrics are served while a worker is replaced, and fail while one is frozen', {
  timeout: 60_000,
}, async (t) => {
  const testDatabase = await createMigratedDatabase('postgres')
  t.after(() => testDatabase.drop())
  const METRICS_PORT = String(await getFreePort())
  const settings = { WORKERS: '2', METRICS_PORT, SECRET: newSecret(), LOG_LEVEL: 'debug' }
  const service = await startProcess(testDatabase.url, settings)
  t.after(() => service.child.kill('SIGKILL'))
  const workers = () =>
    [...service.output().matchAll(/"pid":(\d+).*"msg":"Server listening/g)].map(([, pid]) => Number(pid))
  const status = async () => (await ask(`http://localhost:${METRICS_PORT}/metrics`)).status
  await until(() => new Set(workers()).size === 2, 'both workers listen')
  process.kill(workers()[0] ?? 0, 'SIGKILL')
  while (new Set(workers()).size < 3) assert.equal(await status(), 200)
  assert.equal(await status(), 200)

  const frozen = workers().at(-1) ?? 0
  process.kill(frozen, 'SIGSTOP')
  assert.equal(await status(), 503)
  process.kill(frozen, 'SIGCONT')
  assert.equal(await status(), 200)
})

for (const WORKERS of ['1', '2'])
  test(`With HOST=localhost and WORKERS=${WORKERS}, both loopback addresses serve the metrics, and a stop closes both`, {
    timeout: 60_000,
  }, async (t) => {
    const testDatabase = await createMigratedDatabase('postgres')
    t.after(() => testDatabase.drop())
    const METRICS_PORT = String(await getFreePort())
    const service = await startProcess(testDatabase.url, { WORKERS, METRICS_PORT, SECRET: newSecret() })
    t.after(() => service.child.kill('SIGKILL'))
    for (const address of ['127.0.0.1', '[::1]']) {
      assert.equal((await ask(`http://${address}:${METRICS_PORT}/metrics`)).status, 200)
      const held = connect(Number(METRICS_PORT), address.replace(/[[\]]/g, ''))
      t.after(() => held.destroy())
      await once(held, 'connect')
    }
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })

/** Uses a new connection, which any worker may accept. */
async function ask(url: string, host = new URL(url).host) {
  const [response] = await once(get(url, { agent: false, headers: { host } }), 'response')
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
}
