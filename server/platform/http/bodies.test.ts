import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { operations } from '../../../test/support/operations.ts'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { startService } from '../../../test/support/service.ts'
import { administrator, PASSWORD } from '../../../test/support/users.ts'

const EMPTY_FRAMINGS = ['', 'content-length: 0\r\n', 'transfer-encoding: chunked\r\n']
const CONTENT_TYPES = [
  '',
  'content-type: application/json\r\n',
  'content-type: text/plain\r\n',
  'content-type: nonsense\r\n',
  'content-type: ;;;\r\n',
  'content-type: \r\n',
]

test('A body without the content type of JSON returns 415', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { token } = await administrator(service)
  const { port } = service.config
  const types = ['', 'content-type: text/plain\r\n', 'content-type: application/jsonx\r\n', 'content-type: ;;;\r\n']
  for (const contentType of types) {
    for (const [framing, body] of [
      ['content-length: 2\r\n', '{}'],
      ['transfer-encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
    ] as const) {
      const connection = await RawConnection.open(port)
      const head = `POST /api/auth/get-session HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: Bearer ${token}\r\n`
      const [answer] = await connection.send(`${head}${framing}${contentType}\r\n${body}`).read()
      connection.socket.destroy()
      assert.equal(answer?.status, 415, `${framing}${contentType}`)
    }
  }
})

test('An empty body counts as an empty object, with any framing and any content type', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { port } = service.config
  const post = async (path: string, token: string, framing: string, contentType: string) => {
    const connection = await RawConnection.open(port)
    const end = framing.includes('chunked') ? '0\r\n\r\n' : ''
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: Bearer ${token}\r\n`
    const [answer] = await connection.send(`${head}${framing}${contentType}\r\n${end}`).read()
    connection.socket.destroy()
    return { status: answer?.status, code: JSON.parse(answer?.body ?? '')?.code }
  }
  for (const framing of EMPTY_FRAMINGS) {
    for (const contentType of CONTENT_TYPES) {
      for (const path of [
        'get-session',
        'revoke-other-sessions',
        'organization/set-active',
        'update-session',
        'sign-out',
      ]) {
        const { token } = await administrator(service)
        const { status } = await post(`/api/auth/${path}`, token, framing, contentType)
        assert.equal(status, 200, `${path}, ${framing}, ${contentType}`)
      }
    }
  }
  const { token } = await administrator(service)
  const routesWithFields = (await operations(service)).filter(
    ({ method, body }) => method === 'post' && body !== undefined && body.required.length > 0,
  )
  assert.ok(routesWithFields.length > 50, String(routesWithFields.length))
  for (const { path } of routesWithFields) {
    const { status, code } = await post(path, token, 'transfer-encoding: chunked\r\n', 'content-type: text/plain\r\n')
    assert.deepEqual([status, code], [400, 'VALIDATION_ERROR'], path)
  }
})

test('JSON that is not UTF-8 returns 400 INVALID_JSON, so that two passwords never become one', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { token, email } = await administrator(service)
  const post = (path: string, bytes: Buffer<ArrayBuffer>, charset = '') =>
    postBytes(`${service.baseUrl}/api/auth/${path}`, `application/json${charset}`, bytes, token)
  const change = (newPassword: string) => JSON.stringify({ currentPassword: PASSWORD, newPassword })
  for (const password of ['Pä tälläri 7', 'Pö tölläri 7'])
    for (const charset of ['', '; charset=iso-8859-1']) {
      const { status, body } = await post('change-password', Buffer.from(change(password), 'latin1'), charset)
      assert.deepEqual([status, body.code], [400, 'INVALID_JSON'])
      assert.equal(body.message, 'The body is not encoded in UTF-8.')
    }
  const password = 'P\ufffd t\ufffdll\ufffdri 7'
  assert.equal((await post('change-password', Buffer.from(change(password)))).status, 200)
  const withMark = Buffer.from(`\ufeff${JSON.stringify({ email, password })}`)
  assert.equal((await post('sign-in/email', withMark)).status, 200)
})

test('A form that is not UTF-8 returns 400 VALIDATION_ERROR', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const post = (encoding: BufferEncoding) => {
    const bytes = Buffer.from('grant_type=grüße', encoding)
    return postBytes(`${service.baseUrl}/api/auth/oauth2/token`, 'application/x-www-form-urlencoded', bytes)
  }
  const { status, body } = await post('latin1')
  assert.deepEqual([status, body.code, body.error], [400, 'VALIDATION_ERROR', 'invalid_request'])
  const { body: readable } = await post('utf8')
  assert.equal(readable.error_description, 'no client authentication mechanism provided')
})

async function postBytes(url: string, contentType: string, body: Buffer<ArrayBuffer>, token?: string) {
  const headers = { 'content-type': contentType, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('The refusal of a compressed body says that the body is compressed', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const body = gzipSync('{}')
  for (const [path, type] of [
    ['sign-in/email', 'application/json'],
    ['oauth2/token', 'application/x-www-form-urlencoded'],
  ] as const) {
    const response = await fetch(`${service.baseUrl}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': 'gzip' },
      body,
    })
    const { message } = (await response.json()) as Record<string, unknown>
    const expected = 'The body is compressed. Send it as it is, without content-encoding.'
    assert.deepEqual([response.status, message], [400, expected], path)
  }
})

test('The refusal of another content type says which one the route takes', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  for (const [path, type] of [
    ['sign-in/email', 'application/json'],
    ['oauth2/token', 'application/x-www-form-urlencoded'],
  ] as const) {
    const text = { rawBody: 'grant_type=client_credentials', headers: { 'content-type': 'text/plain;charset=UTF-8' } }
    const { status, body } = await service.client().post(`/api/auth/${path}`, undefined, text)
    assert.deepEqual([status, body.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
    assert.ok(body.message.endsWith(`with content-type: ${type}.`), body.message)
  }
})

test('A body that is not JSON, for an address without a route, returns 404 and not 415', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    const options = { rawBody: 'name=Ada', headers: { 'content-type': type } }
    const { status, body } = await service.client().post('/api/auth/nothing', undefined, options)
    assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], type)
  }
})
