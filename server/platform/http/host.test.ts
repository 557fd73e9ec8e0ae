import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { startService } from '../../../test/support/service.ts'

async function ask(port: number, path: string, ...headers: string[]) {
  const connection = await RawConnection.open(port)
  const [answer] = await connection.send(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`).read()
  connection.socket.destroy()
  return answer
}

test('On localhost, every route but the health checks refuses another host', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { port } = service.config
  const own = `localhost:${port}`
  const hosts = [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1:${port}`,
    'localhost',
    `localhost.:${port}`,
    `${own}.evil.example`,
    '',
  ]
  const paths = [
    '/',
    '/sign-in',
    '/assets/x.js',
    '/dev/mailbox',
    '/dev/mailbox/emails',
    '/nothing',
    '/api/auth/get-session',
    '/api/auth/jwks',
    '/api/auth/openapi.json',
  ]
  for (const path of paths) {
    for (const host of hosts) {
      const answer = await ask(port, path, `host: ${host}`)
      assert.deepEqual(
        [answer?.status, JSON.parse(answer?.body ?? '').code],
        [421, 'MISDIRECTED_REQUEST'],
        `${host}${path}`,
      )
      assert.equal(answer?.headers['x-frame-options'], 'deny')
    }
    assert.equal((await ask(port, path, `host: ${own}`, 'host: evil.example'))?.status, 421, path)
    const { status } = (await ask(port, path, `host: ${own}`)) ?? assert.fail(path)
    assert.notEqual(status, 421, path)
    assert.equal((await ask(port, path, `host: ${own.toUpperCase()}`))?.status, status, path)
  }
  for (const path of ['/healthz', '/readyz', '/api/auth/ok'])
    assert.equal((await ask(port, path, 'host: 10.0.0.1'))?.status, 200, path)
})

test('On localhost, a host with the default port of BASE_URL is the same as one without a port', async (t) => {
  for (const [BASE_URL, own, other] of [
    ['http://localhost', 80, 443],
    ['https://localhost', 443, 80],
  ] as const) {
    const service = await startService({ engine: 'sqlite', environment: { BASE_URL } })
    t.after(() => service.stop())
    const statusOf = async (host: string) => (await ask(service.config.port, '/sign-in', `host: ${host}`))?.status
    assert.equal(await statusOf('localhost'), 200)
    assert.equal(await statusOf(`localhost:${own}`), 200)
    assert.equal(await statusOf(`localhost:${other}`), 421)
  }
})

test('Outside of localhost, any host is accepted, because the proxy decides', async (t) => {
  const environment = { BASE_URL: 'https://accounts.example.com', SMTP_URL: 'smtp://127.0.0.1:1' }
  const service = await startService({ engine: 'sqlite', environment })
  t.after(() => service.stop())
  assert.equal((await ask(service.config.port, '/sign-in', 'host: internal:3000'))?.status, 200)
  assert.equal((await ask(service.config.port, '/dev/mailbox/emails', 'host: localhost'))?.status, 404)
})

test('A request without a Host header is malformed, and closes its connection', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const answer = await ask(service.config.port, '/healthz')
  assert.deepEqual([answer?.status, JSON.parse(answer?.body ?? '').code], [400, 'MALFORMED_REQUEST'])
  assert.equal(answer?.headers.connection, 'close')
})
