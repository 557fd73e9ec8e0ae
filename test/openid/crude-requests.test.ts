import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../support/client.ts'
import { authorizationRequest, createTestApp } from '../support/openid.ts'
import { basic, postForm, refusalOf } from '../support/protocol.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { onEachDatabase } from '../support/service.ts'
import { newMember } from '../support/users.ts'

const OAUTH = '/api/auth/oauth2'
/** RFC 6749, section 5.2. */
const ERROR_DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/
const POSTED = [
  `${OAUTH}/token`,
  `${OAUTH}/introspect`,
  `${OAUTH}/revoke`,
  `${OAUTH}/par`,
  '/api/auth/device/code',
  `${OAUTH}/userinfo`,
]
const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
]
const PARAMETERS =
  'client_id client_secret client_assertion client_assertion_type code code_verifier redirect_uri refresh_token device_code scope resource audience subject_token subject_token_type actor_token requested_token_type organization token token_type_hint access_token grant_type response_type response_mode state nonce prompt max_age claims login_hint id_token_hint acr_values code_challenge code_challenge_method request request_uri dpop_jkt registration ui_locales'.split(
    ' ',
  )
const CRUDE = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%C0%80',
  '%FF',
  '%',
  '%u0000',
  '[]',
  '{}',
  '%0d%0aset-cookie:x=1',
  '-1',
  'null',
  `x${'%41'.repeat(500)}`,
]

onEachDatabase(
  'Requests of OpenID Connect',
  (service) => {
    /** Sends the text of a form unchanged. Classes for forms would correct its faults. */
    async function postText(path: string, text: string, headers: Record<string, string> = {}): Promise<Answer> {
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(`${service().baseUrl}${path}`, {
        method: 'POST',
        headers: { ...type, ...headers },
        body: text,
      })
      const body = await answer.text()
      const isJson = answer.headers.get('content-type')?.startsWith('application/json')
      return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(body) : body }
    }
    const assertProtected = ({ headers, status, body }: Answer, name: string) => {
      const hasForm = String(body).includes('<form')
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'self'.*frame-ancestors 'none'/, name)
      assert.equal(headers.get('x-frame-options'), 'DENY', name)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', name)
      assert.equal(headers.get('referrer-policy'), hasForm ? 'same-origin' : 'no-referrer', name)
      assert.ok(headers.get('cache-control')?.includes('no-store') || status === 200, name)
    }

    test('CVE-2023-49097: hostile Forwarded headers and URLs change no URL of an answer', async () => {
      const app = await createTestApp(service())
      const { baseUrl, config } = service()
      const hostile = {
        forwarded: 'host=evil.example;proto=https',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-server': 'evil.example',
        'x-forwarded-port': '1234',
        'x-forwarded-proto': 'https',
        'x-forwarded-prefix': '/evil.example',
      }
      const { path } = await authorizationRequest(app)
      const headers = { ...basic(app), ...hostile }
      for (const { status, body, headers: sent } of [
        await service().client().get('/.well-known/openid-configuration', { headers: hostile }),
        await service().client().get(path, { headers: hostile }),
        await postForm(service(), '/api/auth/device/code', { scope: 'openid' }, headers),
        await postText(`${OAUTH}/par`, new URL(path, baseUrl).search.slice(1), headers),
      ]) {
        assert.ok(status < 400, JSON.stringify(body))
        assert.doesNotMatch(JSON.stringify([body, ...sent]), /evil|https:..localhost/)
      }
      for (const host of ['evil.example', new URL(baseUrl).host])
        for (const target of ['http://evil.example/.well-known/openid-configuration', `http://evil.example${path}`]) {
          const connection = await RawConnection.open(config.port)
          const [answer] = await connection.send(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`).read()
          connection.socket.destroy()
          assert.doesNotMatch(JSON.stringify(answer), /evil/)
        }
    })

    test('An error_description has only the characters of RFC 6749, also when it says what could not be parsed', async () => {
      const app = await createTestApp(service())
      const { path } = await authorizationRequest(app, { claims: '"é"abc' })
      const pushed = await postText(`${OAUTH}/par`, new URL(path, service().baseUrl).search.slice(1), basic(app))
      const headers = { ...basic(app), 'content-type': 'application/json' }
      const noJson = await postText(`${OAUTH}/token`, '{', headers)
      const noMetadata = await postText(`${OAUTH}/register`, '{', headers)
      for (const { status, body } of [pushed, noJson, noMetadata]) {
        assert.deepEqual(
          [status, body.error],
          [400, body === noMetadata.body ? 'invalid_client_metadata' : 'invalid_request'],
        )
        assert.match(body.error_description, ERROR_DESCRIPTION)
      }
    })

    test('Malformed, repeated and long parameters get an error in the form of RFC 6749', async () => {
      const app = await createTestApp(service())
      const huge = 'x'.repeat(60_000)
      const bodies = PARAMETERS.flatMap((name) => [...CRUDE, huge].map((value) => `${name}=${value}`)).concat(
        PARAMETERS.flatMap((name) => [`${name}=a&${name}=b`, `${name}[]=a`, `${name}[a]=b`]),
      )
      const send = async (path: string, body: string, headers: Record<string, string>) => {
        const answer = await postText(path, body, headers)
        const name = `${path} ${body.slice(0, 80)}`
        assert.ok(answer.status < 500, `${answer.status} ${name}`)
        if (answer.status >= 400 && path !== `${OAUTH}/userinfo`)
          assert.match(answer.body.error_description ?? '', ERROR_DESCRIPTION, `${name} ${JSON.stringify(answer.body)}`)
      }
      const calls = bodies.flatMap((body) => [
        ...GRANT_TYPES.map((type) => ({ path: `${OAUTH}/token`, body: `grant_type=${type}&${body}` })),
        ...POSTED.map((path) => ({ path, body })),
      ])
      // Every 29th call: together they still contain each parameter, each value and each endpoint.
      const chosen = calls.filter((_call, index) => index % 29 === 0)
      for (let index = 0; index < chosen.length; index += 8)
        await Promise.all(chosen.slice(index, index + 8).map(({ path, body }) => send(path, body, basic(app))))
      const { client } = await newMember(service())
      const { path } = await authorizationRequest(app)
      for (const [index, name] of PARAMETERS.entries())
        for (const target of [path, `${OAUTH}/end-session?client_id=${app.id}`]) {
          const { status, headers } = await client.get(`${target}&${name}=${CRUDE[index % CRUDE.length]}`)
          assert.ok(status < 500, `${status} ${target}&${name}`)
          assert.doesNotMatch(headers.get('set-cookie') ?? '', /x=1/)
        }
      for (const text of ['a\0b', '\u0000'])
        for (const field of ['sub', 'iss', 'jti']) {
          const claims = { sub: app.id, iss: app.id, jti: 'x', [field]: text }
          const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
          const client_assertion = `${part({ alg: 'ES256' })}.${part(claims)}.AAAA`
          const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
          const { status } = await postForm(service(), `${OAUTH}/token`, {
            grant_type: 'client_credentials',
            client_assertion,
            client_assertion_type,
          })
          assert.ok([400, 401].includes(status), `${field} ${status}`)
        }
    })

    test('Endpoints of clients send errors as JSON, also to a client that prefers HTML, such as HttpURLConnection of Java', async () => {
      const app = await createTestApp(service())
      const accept = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'
      for (const path of POSTED) {
        const isUserinfo = path.endsWith('userinfo')
        const authentication = isUserinfo ? {} : basic({ ...app, secret: 'wrong' })
        const { status, body } = await postForm(service(), path, {}, { accept, ...authentication })
        assert.deepEqual([status, body.error], [401, isUserinfo ? 'invalid_token' : 'invalid_client'], path)
      }
      const headers = { accept, authorization: 'Bearer wrong', origin: '' }
      const { status, body } = await service().client().get(`${OAUTH}/userinfo`, { headers })
      assert.deepEqual([status, body.error], [401, 'invalid_token'])
      const withNul = await service().client().get(`${OAUTH}/userinfo?scope=%00`, { headers })
      assert.deepEqual(refusalOf(withNul), [400, 'invalid_request'])
    })

    test('A pushed request and that of a device are stored up to 8 KiB, and get invalid_request beyond', async () => {
      const artifacts = service().context.database.selectFrom('oauthArtifacts').select('idHash')
      const app = await createTestApp(service())
      const { path } = await authorizationRequest(app)
      const form = new URL(path, service().baseUrl).search.slice(1)
      for (const [endpoint, status] of [
        [`${OAUTH}/par`, 201],
        ['/api/auth/device/code', 200],
      ] as const) {
        const { length: before } = await artifacts.execute()
        const ask = (length: number) => postText(endpoint, `${form}&login_hint=`.padEnd(length, 'x'), basic(app))
        const refused = await ask(8_193)
        assert.deepEqual(refusalOf(refused), [400, 'invalid_request'])
        assert.match(refused.body.error_description, /8 KiB/)
        assert.equal((await artifacts.execute()).length, before)
        assert.equal((await ask(8_192)).status, status)
        assert.equal((await artifacts.execute()).length, before + 1)
      }
    })

    test('A JSON body gets invalid_request, also one that is nested 10,000 levels deep', async () => {
      const app = await createTestApp(service())
      const headers = { ...basic(app), 'content-type': 'application/json' }
      for (const path of POSTED)
        for (const json of ['{"grant_type":"client_credentials"}', `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`]) {
          const { status, body } = await postText(path, json, headers)
          assert.deepEqual([status, body.error], [400, 'invalid_request'], path)
        }
    })

    test('Bodies of another type, too large, half sent or pipelined get an answer under 500 or none', async () => {
      const app = await createTestApp(service())
      const { client } = await newMember(service())
      for (const path of POSTED)
        for (const type of [
          'application/json',
          'text/plain',
          'multipart/form-data; boundary=x',
          'application/xml',
          '',
          'application/x-www-form-urlencoded;charset=utf-16',
        ])
          for (const body of ['{"grant_type":"client_credentials"}', 'grant_type=client_credentials', '[]', '"']) {
            const { status } = await postText(path, body, { ...basic(app), 'content-type': type })
            assert.ok(status >= 200 && status < 500, `${status} ${path} ${type}`)
            if (path.endsWith('token') && !type.startsWith('application/x-www'))
              assert.ok(status >= 400, `${path} ${type}`)
          }
      const large = await postText(`${OAUTH}/token`, `state=${'x'.repeat(70_000)}`)
      assert.equal(large.status, 413)
      for (const path of [`${OAUTH}/authorize`, `${OAUTH}/end-session`]) {
        const { status } = await client.post(path, undefined, {
          rawBody: `state=${'x'.repeat(20_000)}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
        assert.equal(status, 400)
      }
      const { port } = service().config
      const head = (length: number) =>
        `POST ${OAUTH}/token HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: ${basic(app).authorization}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${length}\r\n\r\n`
      const form = 'grant_type=client_credentials'
      const connection = await RawConnection.open(port)
      const answers = await connection.send(`${head(form.length)}${form}`.repeat(20)).read(20)
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(20).fill(200),
      )
      assert.equal(new Set(answers.map(({ body }) => JSON.parse(body).access_token)).size, 20)
      connection.socket.destroy()
      const half = await RawConnection.open(port)
      half.send(`${head(form.length)}${form.slice(0, 10)}`).socket.destroy()
      assert.equal((await postText(`${OAUTH}/token`, form, basic(app))).status, 200)
    })

    test('GHSA-9x4v-xfq5-m8x5, CVE-2019-8400: every answer has the headers against framing and scripts, and reflects no markup', async () => {
      const app = await createTestApp(service())
      const { client } = await newMember(service())
      const markup = '"><script>alert(1)</script>'
      const { path } = await authorizationRequest(app)
      const { path: formPost } = await authorizationRequest(app, { response_mode: 'form_post', state: markup })
      for (const [name, answer] of Object.entries({
        code: await client.get(path),
        'form post': await client.get(formPost),
        'sign-in': await service().client().get(path),
        'unknown client': await client.get(`${OAUTH}/authorize?client_id=${encodeURIComponent(markup)}`),
        'redirect URI': await client.get(`${path}&redirect_uri=${encodeURIComponent(markup)}`),
        'log-out': await client.get(
          `${OAUTH}/end-session?client_id=${app.id}&state=${encodeURIComponent(markup)}&post_logout_redirect_uri=https://app.example.com/bye`,
        ),
        'log-out to our page': await client.get(`${OAUTH}/end-session?client_id=${app.id}`),
        'wrong log-out': await client.get(`${OAUTH}/end-session?id_token_hint=${encodeURIComponent(markup)}`),
        'logged out': await client.get(`${OAUTH}/end-session/success`),
        expired: await client.get(`${OAUTH}/authorize/unknown`),
        confirm: await client.post(`${OAUTH}/end-session/confirm`, undefined, {
          rawBody: 'xsrf=x',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        token: await postForm(service(), `${OAUTH}/token`, { grant_type: markup }),
        discovery: await client.get('/.well-known/openid-configuration'),
      })) {
        assertProtected(answer, name)
        assert.doesNotMatch(String(answer.body), /<script>alert/, name)
        const policy = answer.headers.get('content-security-policy') ?? ''
        assert.doesNotMatch(policy, /unsafe|\*|data: /, name)
        const targets = ['form post', 'log-out'].includes(name) ? undefined : "'self'"
        assert.equal(policy.match(/form-action ([^;]*)/)?.[1], targets, name)
      }
    })
  },
  { USER_CHANGES_PER_MINUTE: '1000000', NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: '1000000' },
)
