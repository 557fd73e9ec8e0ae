import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { ERRORS } from '../../server/platform/http/errors.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { type Service, startService } from '../support/service.ts'

const SECRET = 'a-token-that-no-answer-may-repeat'
const ALLOWED_STATUSES = new Set([400, 401, 403, 404, 408, 413, 415, 421, 422, 429, 431, 500, 503])

test('A request without a route returns a JSON error, and neither the response nor the log contains its address', async (t) => {
  const { service, lines } = await startLogged(t)
  const host = `host: localhost:${service.config.port}`
  const long = SECRET.repeat(20)
  for (const [head, status] of [
    [`GET /%E0%A4%A?token=${SECRET} HTTP/1.1\r\n${host}`, 400],
    [`GET /${SECRET}/%zz HTTP/1.1\r\n${host}`, 400],
    [`GET /api/auth/reset-password/${long}?callbackURL=/sign-in HTTP/1.1\r\n${host}`, 400],
    [`GET /api/auth/reset-password/${long} HTTP/1.1\r\n${host}`, 400],
    [`GET /invite/${long} HTTP/1.1\r\n${host}`, 400],
    [`GET /assets/${long} HTTP/1.1\r\n${host}`, 404],
    [`GET /${long} HTTP/1.1\r\n${host}`, 404],
    [`GET /${'x'.repeat(20_000)}${SECRET} HTTP/1.1\r\n${host}`, 431],
    [`GET /sign-in HTTP/1.1\r\n${host}\r\nx: ${SECRET}${'x'.repeat(20_000)}`, 431],
    [`OPTIONS /api/auth/get-session?${SECRET} HTTP/1.1\r\n${host}`, 404],
    [`OPTIONS * HTTP/1.1\r\n${host}`, 404],
    [`OPTIONS /api/auth/oauth2/token?${SECRET} HTTP/1.1\r\n${host}\r\norigin: https://app.example.com`, 404],
    [`TRACE /${SECRET} HTTP/1.1\r\n${host}`, 404],
    [`DELETE /api/auth/ok?${SECRET} HTTP/1.1\r\n${host}`, 404],
    [`PROPFIND /${SECRET} HTTP/1.1\r\n${host}`, 404],
    [`QUERY /${SECRET} HTTP/1.1\r\n${host}`, 400],
    [`NONSENSE /${SECRET} HTTP/1.1\r\n${host}`, 400],
    [`CONNECT ${SECRET}:443 HTTP/1.1\r\n${host}`, 404],
    [`GET http://${SECRET}/nothing HTTP/1.1\r\n${host}`, 404],
    [`GET //${SECRET}/ HTTP/1.1\r\n${host}`, 404],
    [`GET ${SECRET} HTTP/1.1\r\n${host}`, 400],
    [`GET /${SECRET} HTTP/1.0\r\n${host}`, 404],
    [`GET /${SECRET} HTTP/3.0\r\n${host}`, 400],
    [`GET /${SECRET} HTTP/1.1`, 400],
    [`GET /${SECRET} HTTP/1.1\r\n${host}\r\nupgrade: websocket\r\nconnection: upgrade`, 404],
    [`GET /${SECRET} HTTP/1.1\r\n${host}\r\nexpect: ${SECRET}`, 404],
    [`POST /${SECRET} HTTP/1.1\r\n${host}\r\ncontent-length: 1\r\ncontent-length: 2`, 400],
    [`POST /${SECRET} HTTP/1.1\r\n${host}\r\ncontent-length: 1\r\ntransfer-encoding: chunked`, 400],
    [`POST /${SECRET} HTTP/1.1\r\n${host}\r\ntransfer-encoding: ${SECRET}`, 400],
    [`POST /${SECRET} HTTP/1.1\r\n${host}\r\ncontent-length: -1`, 400],
  ] as const) {
    const what = head.slice(0, 80)
    const connection = await RawConnection.open(service.config.port)
    const [answer] = await connection.send(`${head}\r\n\r\n`).read()
    connection.socket.destroy()
    assert.equal(answer?.status, status, what)
    assert.ok(ALLOWED_STATUSES.has(status))
    const { code, message } = JSON.parse(answer.body)
    assert.ok(code in ERRORS && message, what)
    assert.match(answer.headers['content-security-policy'] ?? '', /default-src 'self'/, what)
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', what)
    assert.equal(answer.headers['cache-control'], 'no-store', what)
    const requestId = answer.headers['x-request-id']
    assert.equal(lines.filter(({ reqId }) => String(reqId).toLowerCase() === requestId).length, 1, what)
    assert.ok(!`${answer.body}${JSON.stringify(answer.headers)}`.includes(SECRET), what)
  }
  assert.ok(!JSON.stringify(lines).includes(SECRET))
})

test("A browser gets an error page for an address that can't be decoded, also with the password of a proxy", async (t) => {
  const { service } = await startLogged(t)
  for (const more of [{}, { authorization: 'Basic cHJveHk6' }]) {
    const { status, body } = await service.client().get('/%zz', { headers: { accept: 'text/html', ...more } })
    assert.equal(status, 400)
    assert.match(body, /<html data-error="VALIDATION_ERROR"/)
  }
})

test('HEAD returns 404 for every GET route that changes data', async (t) => {
  const { service } = await startLogged(t)
  const head = async (path: string) => {
    const sent = request(service.baseUrl + path, { method: 'HEAD', agent: false }).end()
    const [response] = await once(sent, 'response')
    await text(response)
    return response.statusCode
  }
  const { paths } = (await service.client().get('/api/auth/openapi.json')).body
  for (const path of [
    '/api/auth/verify-email',
    '/api/auth/delete-user/callback',
    '/api/auth/reset-password/{token}',
    '/api/auth/passkey/generate-register-options',
    '/api/auth/passkey/generate-authenticate-options',
    '/invite/{reference}',
    '/api/token',
    '/api/auth/token',
  ]) {
    assert.ok(paths[path].get, path)
    assert.equal(await head(path.replace(/\{.*/, SECRET)), 404, path)
  }
  for (const path of ['/sign-in', '/api/auth/ok', '/api/auth/get-session', '/api/auth/jwks', '/api/auth/openapi.json'])
    assert.equal(await head(path), 200, path)
})

test('A route that is called by another method returns a 404 that names the method as a possible cause', async (t) => {
  const { service } = await startLogged(t)
  const { status, body } = await service.client().post('/api/auth/list-sessions', {})
  assert.equal(status, 404)
  assert.match(body.message, /or not for this method\.$/)
})

async function startLogged(t: TestContext): Promise<{ service: Service; lines: Record<string, unknown>[] }> {
  const lines: Record<string, unknown>[] = []
  const service = await startService({ engine: 'sqlite', onLog: (line) => lines.push(JSON.parse(line)) })
  t.after(() => service.stop())
  return { service, lines }
}
