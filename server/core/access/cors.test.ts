import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import Fastify from 'fastify'
import { operations } from '../../../test/support/operations.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { administrator, administratorWithOrganization, signedIn } from '../../../test/support/users.ts'
import { answerCors } from './cors.ts'

const APP = 'https://app.example.com'
const FRONT_END = 'https://front.example.com'
const DECLARED = [
  'get /api/auth/get-session',
  'get /api/auth/organization/list',
  'get /api/auth/token',
  'get /api/token',
  'post /api/auth/sign-out',
]

test('A route with parameters that allows other origins stops the start', () => {
  const app = Fastify()
  answerCors(app, { isTrusted: () => false, mayCall: () => false })
  const config = { otherOrigins: 'allowed' } as const
  assert.throws(() => app.get('/things/:id', { config }, async () => ''), /other origins may call fixed paths only/)
})

onEachDatabase(
  'CORS',
  (service) => {
    const preflight = async (origin: string, method: string, path: string) => {
      const { headers } = await fetch(service().baseUrl + path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method.toUpperCase(),
          'access-control-request-headers': 'content-type,x-api-key',
        },
      })
      return {
        origin: headers.get('access-control-allow-origin'),
        credentials: headers.get('access-control-allow-credentials'),
        methods: headers.get('access-control-allow-methods'),
        headers: headers.get('access-control-allow-headers'),
        vary: headers.get('vary'),
      }
    }

    /** Uses Node's HTTP client, because fetch can't send a header twice. */
    const signOutWith = async (cookie: string, origins: string[]) => {
      const headers = [
        'host',
        new URL(service().baseUrl).host,
        'cookie',
        cookie,
        ...origins.flatMap((origin) => ['origin', origin]),
      ]
      const sent = request(`${service().baseUrl}/api/auth/sign-out`, { method: 'POST', headers }).end()
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      return answer
    }

    test('CORS allows RETURN_TO_ORIGINS on declared routes only, and the OpenAPI document lists these routes', async () => {
      const granted: string[] = []
      const printed: string[] = []
      for (const { method, path, description } of await operations(service())) {
        if ((await preflight(APP, method, path)).origin === APP) granted.push(`${method} ${path}`)
        if (description.includes('RETURN_TO_ORIGINS')) printed.push(`${method} ${path}`)
      }
      assert.deepEqual(granted.sort(), DECLARED)
      assert.deepEqual(printed.sort(), DECLARED)
    })

    test('The OpenAPI document names the responses that pages of every origin may read', async () => {
      const client = service().client()
      const { paths } = (await client.get('/api/auth/openapi.json')).body
      const readable: string[] = []
      const printed: string[] = []
      for (const [path, { get }] of Object.entries<{ get?: { description: string } }>(paths)) {
        if (get === undefined || path.includes('{')) continue
        const { status, headers } = await client.get(path, { headers: { origin: 'https://evil.example' } })
        if (status === 200 && headers.get('access-control-allow-origin') !== null) readable.push(path)
        if (get.description.includes('Origins: all,')) printed.push(path)
      }
      assert.deepEqual(printed, readable)
      assert.equal(printed.length, 4)
    })

    test('CORS allows pages of every origin, without credentials, to send headers to the public keys only', async () => {
      const granted: string[] = []
      for (const { method, path } of await operations(service())) {
        const answer = await preflight('https://evil.example', method, path)
        if (answer.origin === null) continue
        granted.push(`${method} ${path}`)
        assert.deepEqual([answer.origin, answer.credentials, answer.headers], ['*', null, 'content-type,x-api-key'])
      }
      assert.deepEqual(granted.sort(), ['get /.well-known/jwks.json', 'get /api/auth/jwks'])
    })

    test('CORS refuses a preflight with another method, another spelling or a longer path', async () => {
      for (const [method, path] of [
        ['POST', '/api/auth/get-session'],
        ['POST', '/api/auth/jwks'],
        ['DELETE', '/api/auth/sign-out'],
        ['get', '/api/token'],
        ['GET', '/api/token/'],
        ['GET', '/api/token%2f..%2fadmin'],
        ['GET', '/API/TOKEN'],
        ['GET', '/api/token;x'],
        ['POST', '/api/auth/admin/create-user?/api/auth/sign-out'],
      ] as const) {
        const { headers } = await fetch(service().baseUrl + path, {
          method: 'OPTIONS',
          headers: { origin: APP, 'access-control-request-method': method },
        })
        assert.equal(headers.get('access-control-allow-origin'), null, `${method} ${path}`)
        assert.equal(headers.get('access-control-allow-methods'), null, `${method} ${path}`)
      }
      assert.equal((await preflight(APP, 'GET', '/api/token?org=example')).origin, APP)
    })

    test('CORS allows TRUSTED_ORIGINS on every route, and refuses origins that resemble a listed one', async () => {
      for (const { method, path } of await operations(service())) {
        assert.equal((await preflight(FRONT_END, method, path)).origin, FRONT_END)
      }
      for (const origin of [
        'null',
        `${APP}/`,
        `${APP}.evil.example`,
        'https://evil.example',
        'http://app.example.com',
        'https://APP.example.com',
        `${APP}, ${APP}`,
        '*',
        '',
      ]) {
        const answer = await preflight(origin, 'get', '/api/token')
        assert.deepEqual([answer.origin, answer.credentials, answer.methods], [null, null, null], origin)
      }
    })

    test('CORS allows a service to read an error response', async () => {
      const answer = await service()
        .client()
        .get('/api/token?org=example', { headers: { origin: APP } })
      assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [401, APP])
    })

    test('CORS takes no request for a preflight that is not OPTIONS, or that names no method', async () => {
      const url = `${service().baseUrl}/api/token?org=example`
      const read = await fetch(url, { headers: { origin: APP, 'access-control-request-method': 'GET' } })
      assert.deepEqual([read.status, read.headers.get('access-control-allow-methods')], [401, null])
      const options = await fetch(url, { method: 'OPTIONS', headers: { origin: FRONT_END } })
      assert.deepEqual([options.status, options.headers.get('access-control-allow-methods')], [404, null])
    })

    test('CORS sends "Vary: Origin" with every cacheable response', async () => {
      const client = service().client()
      const [script = ''] = /\/assets\/[^"]+\.js/.exec((await client.get('/sign-in')).body) ?? []
      for (const path of ['/sign-in', script, '/api/auth/jwks', '/.well-known/jwks.json', '/api/auth/openapi.json']) {
        for (const origin of [APP, FRONT_END, 'https://evil.example']) {
          const { headers } = await client.get(path, { headers: { origin } })
          assert.match(headers.get('vary') ?? '', /\borigin\b/i, path)
          // The keys are public, and clients on any origin verify ID tokens.
          const ofOthers = path.includes('jwks') ? '*' : null
          assert.equal(headers.get('access-control-allow-origin'), origin === FRONT_END ? origin : ofOthers)
        }
      }
    })

    test('CORS allows GET, HEAD and POST with the headers that the preflight asks for, and with cookies', async () => {
      assert.deepEqual(await preflight(APP, 'get', '/api/token'), {
        origin: APP,
        credentials: 'true',
        methods: 'GET, HEAD, POST',
        headers: 'content-type,x-api-key',
        vary: 'Origin, Access-Control-Request-Headers',
      })
    })

    test('get-session returns the session token and the reason of an impersonation to the own origin and to TRUSTED_ORIGINS only', async () => {
      const admin = await administrator(service())
      const { id: userId, email } = await userWithRole(service(), admin)
      const reason = { userId, reason: 'ticket 4711' }
      const { token } = (await admin.client.post('/api/auth/admin/impersonate-user', reason)).body.session
      const hasToken = async (headers: Record<string, string>) => {
        const answer = await fetch(`${service().baseUrl}/api/auth/get-session`, {
          headers: { cookie: `session=${token}`, ...headers },
        })
        const body = (await answer.json()) as { session: Record<string, unknown>; user: { email: string } }
        assert.equal(body.user.email, email)
        assert.equal('impersonationReason' in body.session, 'token' in body.session)
        return 'token' in body.session
      }
      assert.equal(await hasToken({}), true)
      assert.equal(await hasToken({ origin: service().baseUrl }), true)
      assert.equal(await hasToken({ origin: FRONT_END }), true)
      assert.equal(await hasToken({ origin: APP }), false)
      assert.equal(await hasToken({ origin: 'https://evil.example' }), false)
      assert.equal(await hasToken({ origin: 'null' }), false)
    })

    test('CVE-2023-34927: a POST route that does not allow other origins refuses a cookie from RETURN_TO_ORIGINS', async () => {
      const { client, organization } = await administratorWithOrganization(service())
      for (const { method, path } of await operations(service())) {
        if (method !== 'post' || path === '/api/auth/sign-out') continue
        for (const origin of [APP, 'null']) {
          const answer = await client.post(path, {}, { headers: { origin } })
          assert.deepEqual([answer.status, answer.body.code], [403, 'INVALID_ORIGIN'], path)
        }
      }
      const { body } = await client.get('/api/auth/organization/list')
      assert.ok(body.some(({ id }: { id: string }) => id === organization.id))
    })

    test('CVE-2023-34927: a request with two origins is refused, even when one origin or both are allowed', async () => {
      const { client, token } = await administrator(service())
      for (const origin of [
        [service().baseUrl, 'https://evil.example'],
        ['https://evil.example', service().baseUrl],
        [FRONT_END, FRONT_END],
      ]) {
        const answer = await signOutWith(`session=${token}`, origin)
        assert.equal(answer.statusCode, 403, origin.join())
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
      assert.notEqual((await client.get('/api/auth/get-session')).body, null)
    })

    test('CVE-2023-34927: the invitation cookie and the passkey cookie require an allowed origin, like the session cookie', async () => {
      const { email } = await administrator(service())
      for (const name of ['invitation', 'passkey']) {
        const answer = await fetch(`${service().baseUrl}/api/auth/sign-in/email`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', cookie: `${name}=x`, origin: APP },
          body: JSON.stringify({ email, password: 'a wrong guess' }),
        })
        assert.equal(answer.status, 403, name)
      }
      await signedIn(service(), email)
    })
  },
  { RETURN_TO_ORIGINS: APP, TRUSTED_ORIGINS: FRONT_END },
)
