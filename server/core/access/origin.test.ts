import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, PASSWORD } from '../../../test/support/users.ts'

const APP = 'https://app.example.com'
const FRONT_END = 'https://front.example.com'

onEachDatabase(
  'The origin check',
  (service) => {
    const signOut = async (headers: Record<string, string>) => {
      const { client } = await administrator(service())
      const cookie = `session=${client.cookies.get('session')}`
      // Uses fetch, because the test client always sends an origin.
      const answer = await fetch(`${service().baseUrl}/api/auth/sign-out`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...headers },
        body: '{}',
      })
      return {
        status: answer.status,
        body: (await answer.json()) as { code?: string },
        session: await client.get('/api/auth/get-session'),
      }
    }

    test('CVE-2023-34927: a request with a cookie from another site returns 403 INVALID_ORIGIN and changes nothing', async () => {
      for (const origin of [
        'https://evil.example',
        'null',
        `${service().baseUrl}.evil.example`,
        'https://app.example.com.evil.example',
        'http://app.example.com',
      ]) {
        const { status, body, session } = await signOut({ origin })
        assert.deepEqual([status, body.code], [403, 'INVALID_ORIGIN'], origin)
        assert.notEqual(session.body, null)
      }
    })

    test('A request with a cookie but without an origin is refused, unless Sec-Fetch-Site is same-origin', async () => {
      assert.equal((await signOut({ 'sec-fetch-site': 'same-origin' })).status, 200)
      assert.equal((await signOut({})).status, 403)
      assert.equal((await signOut({ 'sec-fetch-site': 'cross-site' })).status, 403)
      assert.equal((await signOut({ 'sec-fetch-site': 'same-site' })).status, 403)
      assert.equal((await signOut({ origin: '', 'sec-fetch-site': 'same-origin' })).status, 403)
    })

    test('CVE-2023-34927: an empty or invalid session cookie before the right one does not skip the origin check', async () => {
      const { client } = await administrator(service())
      for (const first of ['', '%00']) {
        const answer = await fetch(`${service().baseUrl}/api/auth/sign-out`, {
          method: 'POST',
          headers: {
            cookie: `session=${first}; session=${client.cookies.get('session')}`,
            origin: 'https://evil.example',
          },
        })
        assert.equal(answer.status, 403, first)
      }
      assert.notEqual((await client.get('/api/auth/get-session')).body, null)
    })

    test('A cookie with a space after its name needs an allowed origin', async () => {
      const headers = { cookie: 'two-factor =abc.def', origin: 'https://evil.example' }
      const answer = await fetch(`${service().baseUrl}/api/auth/sign-out`, { method: 'POST', headers })
      assert.equal(answer.status, 403)
    })

    test('A request with a cookie that only reads needs no origin', async () => {
      const { client } = await administrator(service())
      const headers = { cookie: `session=${client.cookies.get('session')}` }
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const { status } = await fetch(`${service().baseUrl}/api/auth/organization/list`, { method, headers })
        assert.equal(status, method === 'OPTIONS' ? 404 : 200, method)
      }
    })

    test('A request with a cookie from the own origin or an allowed origin succeeds', async () => {
      assert.equal((await signOut({ origin: service().baseUrl })).status, 200)
      assert.equal((await signOut({ origin: APP })).status, 200)
      assert.equal((await signOut({ origin: FRONT_END })).status, 200)
    })

    test('CVE-2023-34927: a form post with a cookie returns 415, even from the own origin', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
        assert.equal((await signOut({ origin: service().baseUrl, 'content-type': type })).status, 415)
      }
    })

    test('CORS allows the listed origins only, and exposes the headers that the client reads', async () => {
      const preflight = async (origin: string) =>
        (
          await fetch(`${service().baseUrl}/api/auth/sign-out`, {
            method: 'OPTIONS',
            headers: {
              origin,
              'access-control-request-method': 'POST',
              'access-control-request-headers': 'content-type',
            },
          })
        ).headers
      const allowed = await preflight(APP)
      assert.equal(allowed.get('access-control-allow-origin'), APP)
      assert.equal(allowed.get('access-control-allow-credentials'), 'true')
      assert.equal((await preflight('https://evil.example')).get('access-control-allow-origin'), null)
      assert.equal((await preflight('null')).get('access-control-allow-origin'), null)
      const ofOrigin = async (origin: string) =>
        (await service().client().get('/api/auth/get-session', { headers: { origin } })).headers.get(
          'access-control-expose-headers',
        )
      assert.equal(await ofOrigin(APP), 'x-retry-after, x-request-id')
      assert.equal(await ofOrigin(FRONT_END), 'set-auth-token, x-retry-after, x-request-id')
      assert.equal(await ofOrigin('https://evil.example'), null)
    })

    test('A request whose bearer token and cookie differ returns 401 CONFLICTING_CREDENTIALS', async () => {
      const one = await administrator(service())
      const other = await administrator(service())
      const disagreeing = await one.client.get('/api/auth/get-session', {
        headers: { authorization: `Bearer ${other.token}` },
      })
      assert.deepEqual([disagreeing.status, disagreeing.body.code], [401, 'CONFLICTING_CREDENTIALS'])
      const agreeing = await one.client.get('/api/auth/get-session', {
        headers: { authorization: `Bearer ${one.token}` },
      })
      assert.equal(agreeing.status, 200)
    })
  },
  { RETURN_TO_ORIGINS: APP, TRUSTED_ORIGINS: FRONT_END },
)

onEachDatabase(
  'HTTPS',
  (service) => {
    test('A service on HTTPS sends __Host- cookies and Strict-Transport-Security', async () => {
      const token = await service().setupToken()
      const user = { token, name: 'Ada', email: 'ada@example.com', password: PASSWORD }
      const answer = await fetch(`http://localhost:${service().config.port}/api/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(user),
      })
      const [session = '', device = ''] = answer.headers.getSetCookie()
      const attributes = /=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      assert.match(session, new RegExp(`^__Host-session${attributes.source}`))
      assert.match(device, new RegExp(`^__Host-device${attributes.source}`))
      assert.match(answer.headers.get('strict-transport-security') ?? '', /max-age=31536000/)
    })
  },
  { BASE_URL: 'https://accounts.example.com', SMTP_URL: 'smtp://127.0.0.1:1' },
)
