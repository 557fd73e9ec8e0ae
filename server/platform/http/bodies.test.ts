import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../test/support/operations.ts'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { startService } from '../../../test/support/service.ts'
import { administrator } from '../../../test/support/users.ts'

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
  for (const { path, method, body } of await operations(service)) {
    if (method !== 'post' || !body || body.required.length === 0) continue
    const { status, code } = await post(path, token, 'transfer-encoding: chunked\r\n', 'content-type: text/plain\r\n')
    assert.ok(code !== 'UNSUPPORTED_MEDIA_TYPE' && code !== 'INVALID_JSON', `${path}: ${status} ${code}`)
  }
})
