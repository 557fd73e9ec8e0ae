import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClient } from '../support/client.ts'
import { getFreePort } from '../support/free-port.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, type ServiceProcess, startProcess } from '../support/process.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { residentMebibytes } from '../support/resident-memory.ts'

/** Less than three times the heap of an idle service. */
const HEAP_MEBIBYTES = 96
const RESIDENT_GROWTH_MEBIBYTES_MAXIMUM = 120

/** Every kind of response that an anonymous client can request. */
const PUBLIC_PATHS = [
  '/api/auth/openapi.json',
  '/api/auth/jwks',
  '/api/auth/get-session',
  '/api/auth/reset-password/token?callbackURL=/sign-in',
  '/healthz',
  '/readyz',
  '/sign-in',
  '/sign-in?next=https://elsewhere.example',
  '/dev/mailbox/emails',
  '/nothing',
  '/%',
]

test('Pipelined requests of clients that never read neither exhaust the memory nor block other clients', async (t) => {
  const { service, metricsPort } = await startSmallService(t)
  const client = createClient(service.baseUrl)
  const script = /src="(\/assets\/[^"]+)"/.exec((await client.get('/sign-in')).body)?.[1] ?? ''
  const residentBefore = residentOf(service)
  const targets = [...PUBLIC_PATHS, script].map((path) => ({ path, port: service.port }))
  for (const { path, port } of [...targets, { path: '/metrics', port: metricsPort }]) {
    const connections = await flood({ path, port, connections: 100, requests: 300 })
    assert.equal((await client.get('/healthz')).status, 200, path)
    const growth = residentOf(service) - residentBefore
    assert.ok(growth < RESIDENT_GROWTH_MEBIBYTES_MAXIMUM, `${path}: ${growth} MiB more`)
    for (const { socket } of connections) socket.destroy()
  }
  assert.equal(service.child.exitCode, null)
})

test('A client that pipelines a thousand requests and reads gets every response', async (t) => {
  const { service } = await startSmallService(t)
  const connections = await flood({
    path: '/api/auth/openapi.json',
    port: service.port,
    connections: 2,
    requests: 1_000,
  })
  const answers = await Promise.all(connections.map((connection) => connection.read(1_000)))
  for (const read of answers) {
    assert.equal(read.length, 1_000)
    assert.ok(read.every(({ status }) => status === 200))
  }
})

test('Incomplete requests do not block other requests', async (t) => {
  const { service } = await startSmallService(t)
  const halves = [
    'G',
    'GET /sign-in HTTP/1.1\r\nhost:',
    'POST /api/auth/sign-in/email HTTP/1.1\r\ncontent-length: 60000\r\n\r\n{',
  ]
  const connections = await Promise.all(
    Array.from({ length: 300 }, async (_, index) =>
      (await RawConnection.open(service.port)).send(halves[index % 3] ?? ''),
    ),
  )
  assert.equal((await createClient(service.baseUrl).get('/healthz')).status, 200)
  for (const { socket } of connections) socket.destroy()
})

async function startSmallService(t: TestContext) {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const metricsPort = await getFreePort()
  const service = await startProcess(testDatabase.url, {
    SECRET: newSecret(),
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'error',
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES}`,
  })
  t.after(() => service.child.kill('SIGKILL'))
  return { service, metricsPort }
}

/** Opens connections that pipeline many requests. The caller reads the responses. */
async function flood({
  path,
  port,
  connections,
  requests,
}: Record<'port' | 'connections' | 'requests', number> & { path: string }) {
  const request = `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\naccept-encoding: br\r\n\r\n`
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await RawConnection.open(port)
      connection.socket.pause()
      return connection.send(request.repeat(requests))
    }),
  )
}

function residentOf({ child }: ServiceProcess): number {
  return residentMebibytes(child.pid!) ?? 0
}
