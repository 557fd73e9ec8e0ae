import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { inTransaction } from '../../server/core/in-transaction.ts'
import type { ClientMetadata } from '../../server/core/oauth-clients/metadata.ts'
import { saveConsent } from '../../server/core/oauth-consents/store.ts'
import type { Answer } from '../support/client.ts'
import {
  authorizationRequest,
  codeIn,
  createTestApp,
  locationOf,
  payloadOf,
  REDIRECT_URI,
  signInTo,
  type TestApp,
} from '../support/openid.ts'
import {
  askToken,
  basic,
  codeForm,
  errorIn,
  pageErrorOf,
  postForm,
  refusalOf,
  signInOnPage,
} from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { newMember, type TestMember } from '../support/users.ts'

const AUTHORIZE = '/api/auth/oauth2/authorize'
const PAR = '/api/auth/oauth2/par'

describe('Authorization requests', () => {
  let service: Service
  let user: TestMember
  let app: TestApp
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    user = await newMember(service)
    app = await createTestApp(service)
  })
  after(() => service.stop())

  type Parameters = Record<string, string | undefined>

  async function authorize(parameters: Parameters = {}, client: Pick<TestApp, 'id'> = app): Promise<Answer> {
    return user.client.get((await authorizationRequest(client, parameters)).path)
  }

  /** A request object without a signature (OpenID Connect Core 1.0, section 6). */
  function unsignedRequest(claims: Record<string, unknown>): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    return `${encode({ alg: 'none' })}.${encode({ iss: app.id, aud: service.baseUrl, ...claims })}.`
  }

  async function pushed(
    parameters: Parameters = {},
    client: TestApp = app,
  ): Promise<{ answer: Answer; codeVerifier: string }> {
    const { path, codeVerifier } = await authorizationRequest(client, parameters)
    const form = new URL(path, service.baseUrl).searchParams
    return { answer: await postForm(service, PAR, form, basic(client)), codeVerifier }
  }

  test('oidcc-ensure-registered-redirect-uri: an address that is not registered gets our page', async () => {
    const wrong = [
      'https://app.example.com/callback/',
      'https://app.example.com/callback/more',
      'https://app.example.com/callback%2f..%2fmore',
      'https://app.example.com/CALLBACK',
      'https://app.example.com:8443/callback',
      'https://app.example.com@evil.example/callback',
      'https://app.example.com.evil.example/callback',
      'http://app.example.com/callback',
      'https://app.example.com/callback#fragment',
      'javascript:alert(1)',
      'not an address',
      '',
    ]
    for (const redirect_uri of wrong) {
      const answer = await authorize({ redirect_uri })
      assert.ok(['invalid_redirect_uri', 'invalid_request'].includes(pageErrorOf(answer) ?? ''), redirect_uri)
    }
  })

  test('oidcc-ensure-redirect-uri-in-authorization-request: a request without it gets our page', async () => {
    assert.equal(pageErrorOf(await authorize({ redirect_uri: undefined })), 'invalid_request')
  })

  test('oidcc-redirect-uri-query-OK, -mismatch, -added: the query of a redirect URI is compared too', async () => {
    const withQuery = await createTestApp(service, { redirect_uris: [`${REDIRECT_URI}?foo=bar`] })
    const url = locationOf(await authorize({ redirect_uri: `${REDIRECT_URI}?foo=bar` }, withQuery))
    assert.equal(url.searchParams.get('foo'), 'bar')
    assert.ok(url.searchParams.get('code'))
    for (const redirect_uri of [REDIRECT_URI, `${REDIRECT_URI}?foo=baz`, `${REDIRECT_URI}?foo=bar&more=1`])
      assert.equal(pageErrorOf(await authorize({ redirect_uri }, withQuery)), 'invalid_redirect_uri')
    assert.equal(pageErrorOf(await authorize({ redirect_uri: `${REDIRECT_URI}?foo=bar` })), 'invalid_redirect_uri')
  })

  test('A native app may use any port of loopback, but no other path or host of it', async () => {
    const native = await createTestApp(service, {
      redirect_uris: ['http://127.0.0.1/callback'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    })
    codeIn(await authorize({ redirect_uri: 'http://127.0.0.1:51004/callback' }, native))
    for (const redirect_uri of [
      'http://localhost:51004/callback',
      'http://127.0.0.1:51004/other',
      'http://127.0.0.2/callback',
    ])
      assert.equal(pageErrorOf(await authorize({ redirect_uri }, native)), 'invalid_redirect_uri')
    const web = await createTestApp(service, { redirect_uris: ['https://127.0.0.1/callback'] })
    assert.equal(
      pageErrorOf(await authorize({ redirect_uri: 'https://127.0.0.1:51004/callback' }, web)),
      'invalid_redirect_uri',
    )
  })

  test('An unknown client, and a disabled one, get our page', async () => {
    const off = await createTestApp(service, {}, { disabled: 1 })
    for (const client of [{ id: 'cli_unknown' }, { id: '"><script>alert(1)</script>' }, off])
      assert.equal(pageErrorOf(await authorize({}, client)), 'invalid_client')
    assert.equal(pageErrorOf(await authorize({ client_id: undefined })), 'invalid_request')
  })

  test('A client with a contact that an earlier version has accepted stays usable', async () => {
    codeIn(await authorize({}, await createTestApp(service, { contacts: ['a@example..com', 'a@example.com.'] })))
  })

  test('A parameter that is sent twice is refused, without a redirect when it is the client or the redirect URI', async () => {
    const { path } = await authorizationRequest(app)
    for (const twice of ['client_id=another', 'redirect_uri=https%3A%2F%2Fevil.example'])
      assert.equal(pageErrorOf(await user.client.get(`${path}&${twice}`)), 'invalid_request')
    assert.equal(errorIn(await user.client.get(`${path}&scope=openid`)), 'invalid_request')
  })

  const refused: [name: string, parameters: Parameters, error: string][] = [
    ['implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['hybrid flow', { response_type: 'code id_token', nonce: 'n' }, 'unsupported_response_type'],
    ['unknown response type', { response_type: 'coffee' }, 'unsupported_response_type'],
    ['unknown response mode', { response_mode: 'coffee' }, 'unsupported_response_mode'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['unknown prompt', { prompt: 'coffee' }, 'invalid_request'],
    ['negative max_age', { max_age: '-1' }, 'invalid_request'],
    ['max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
    ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
    ['code challenge that is too short', { code_challenge: 'short' }, 'invalid_request'],
    ['resource with a fragment', { resource: 'https://api.example.com/#a' }, 'invalid_target'],
    ['resource with http', { resource: 'http://api.example.com' }, 'invalid_target'],
    ['resource that is no address', { resource: 'api' }, 'invalid_target'],
  ]
  test('A scope that the client does not have is refused, and an unknown scope is ignored', async () => {
    const narrow = await createTestApp(service, { scope: 'openid' })
    assert.equal(errorIn(await authorize({ scope: 'openid email' }, narrow)), 'invalid_scope')
    codeIn(await authorize({ scope: 'openid admin' }, narrow))
    for (const scope of [undefined, '', 'admin']) assert.equal(errorIn(await authorize({ scope })), 'invalid_scope')
  })
  for (const [name, parameters, error] of refused)
    test(`${name}: the client gets ${error} with a sentence`, async () => {
      assert.equal(errorIn(await authorize(parameters)), error)
    })

  test('An answer in the fragment stays in the fragment', async () => {
    const answer = await authorize({ response_mode: 'fragment' })
    assert.match(locationOf(answer).hash, /^#code=/)
  })

  test('An error in the fragment has a sentence, too', async () => {
    const answer = await authorize({ response_mode: 'fragment', request: unsignedRequest({}) })
    assert.match(locationOf(answer).hash, /^#error=/)
    assert.equal(errorIn(answer), 'request_not_supported')
  })

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: request is refused', async () => {
    const answer = await authorize({ request: unsignedRequest({ state: 'of the object', nonce: 'of the object' }) })
    assert.equal(errorIn(answer), 'request_not_supported')
  })

  test('oidcc-ensure-request-object-with-redirect-uri: the address in a request object is not used', async () => {
    const answer = await authorize({ request: unsignedRequest({ redirect_uri: 'https://evil.example' }) })
    assert.equal(locationOf(answer).origin, 'https://app.example.com')
    assert.equal(errorIn(answer), 'request_not_supported')
  })

  test('request_uri is refused and never fetched', async (t) => {
    let fetched = 0
    const server = createServer((_request, response) => {
      fetched += 1
      response.end(unsignedRequest({}))
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (const request_uri of [`http://127.0.0.1:${port}/object`, `https://127.0.0.1:${port}/object`]) {
      const answer = await authorize({ request_uri })
      assert.ok(answer.status === 400 || errorIn(answer))
    }
    assert.equal(fetched, 0)
  })

  test('oidcc-ensure-post-request-succeeds: a form of the client leads to the same code', async () => {
    const { path, codeVerifier } = await authorizationRequest(app)
    const form = new URL(path, service.baseUrl).searchParams
    const posted = await postForm(service, AUTHORIZE, form, { origin: 'https://app.example.com' })
    assert.equal(posted.status, 303)
    const answer = await user.client.get(posted.headers.get('location') ?? '')
    const { status } = await askToken(service, app, codeForm(codeIn(answer), codeVerifier))
    assert.equal(status, 200)
  })

  test('HEAD gives no code', async () => {
    const { path } = await authorizationRequest(app)
    const cookie = [...user.client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, service.baseUrl), {
      method: 'HEAD',
      redirect: 'manual',
      headers: { cookie },
    })
    assert.equal(response.status, 404)
    assert.equal(response.headers.get('location'), null)
  })

  test('form_post: a form brings the code to the client, which may redirect to any address', async () => {
    const { status, headers, body } = await authorize({ response_mode: 'form_post' })
    assert.equal(status, 200)
    assert.match(body, /<form method="post" action="https:\/\/app\.example\.com\/callback">/)
    assert.match(body, /name="code" value="[\w-]+"/)
    const policy = headers.get('content-security-policy') ?? ''
    assert.doesNotMatch(policy, /form-action/)
    assert.match(policy, /script-src 'self' 'sha256-[^']+'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('form_post: a host that an earlier version registered does not change the policy', async () => {
    const { headers: usual } = await authorize({ response_mode: 'form_post' })
    for (const origin of ["https://a$'b.example.com", 'https://a;report-uri', 'https://a,sandbox']) {
      const redirect_uri = `${origin}/callback`
      const odd = await createTestApp(service, { redirect_uris: [redirect_uri] })
      const { headers, body } = await authorize({ redirect_uri, response_mode: 'form_post' }, odd)
      assert.match(body, /name="code"/)
      assert.equal(headers.get('content-security-policy'), usual.get('content-security-policy'))
    }
  })

  test('form_post: an error comes in a form too, and its text is escaped', async () => {
    const { body } = await authorize({
      response_mode: 'form_post',
      state: '"><script>alert(1)</script>',
      request: unsignedRequest({}),
    })
    assert.match(body, /name="error" value="request_not_supported"/)
    assert.match(body, /name="error_description" value="[^"]+ [^"]+"/)
    assert.doesNotMatch(body, /<script>alert/)
  })

  test('oidcc-claims-essential: an essential claim is in the userinfo with its scope, and the user is not asked for more', async () => {
    const claims = JSON.stringify({
      userinfo: { name: { essential: true } },
      id_token: { auth_time: { essential: true } },
    })
    for (const [scope, name] of [
      ['openid profile', 'Hilda Hire'],
      ['openid', undefined],
    ] as const) {
      const tokens = await signInTo(user, app, { scope, claims })
      const authorization = `Bearer ${tokens.access_token}`
      const { body } = await postForm(service, '/api/auth/oauth2/userinfo', {}, { authorization })
      assert.equal(body.name, name)
      assert.equal(typeof tokens.claims()?.auth_time, 'number')
    }
  })

  test('A pushed request gives a code, and its request_uri works once and for its client only (RFC 9126)', async () => {
    const { answer, codeVerifier } = await pushed({ nonce: 'pushed' })
    assert.equal(answer.status, 201)
    const { request_uri } = answer.body
    const of = (client: Pick<TestApp, 'id'>) =>
      `${AUTHORIZE}?${new URLSearchParams({ client_id: client.id, request_uri })}`
    assert.equal(pageErrorOf(await user.client.get(of(await createTestApp(service)))), 'invalid_request_object')
    const code = codeIn(await user.client.get(of(app)))
    const { body } = await askToken(service, app, codeForm(code, codeVerifier))
    assert.equal(payloadOf(body.id_token).nonce, 'pushed')
    assert.equal(pageErrorOf(await user.client.get(of(app))), 'invalid_request_uri')
  })

  test('A pushed request survives the sign-in page', async () => {
    const { answer } = await pushed()
    const client = service.client()
    const query = new URLSearchParams({ client_id: app.id, request_uri: answer.body.request_uri })
    const url = locationOf(await client.get(`${AUTHORIZE}?${query}`))
    client.cookies.set('session', user.token)
    codeIn(await client.get(`${AUTHORIZE}/${url.searchParams.get('interaction')}`))
  })

  test('Another user than that of the id_token_hint of a pushed request gets no code, also after a page', async () => {
    const other = await newMember(service)
    const { id_token } = await signInTo(user, app)
    const open = async ({ client }: Pick<TestMember, 'client'>, more: Parameters = {}) => {
      const { answer } = await pushed({ id_token_hint: id_token, ...more })
      const query = new URLSearchParams({ client_id: app.id, request_uri: answer.body.request_uri })
      return client.get(`${AUTHORIZE}?${query}`)
    }
    codeIn(await open(user, { prompt: 'none' }))
    assert.equal(errorIn(await open(other, { prompt: 'none' })), 'login_required')
    for (const signingIn of [user, other]) {
      const client = service.client()
      const answer = await signInOnPage(client, await open({ client }), signingIn)
      if (signingIn === user) codeIn(answer)
      else assert.equal(errorIn(answer), 'login_required')
    }
  })

  test('A pushed request that two tabs opened gives one code, also when they go on after its 60 seconds', async () => {
    const { answer } = await pushed()
    const tabs = [service.client(), service.client()]
    const query = new URLSearchParams({ client_id: app.id, request_uri: answer.body.request_uri })
    const resumes = await Promise.all(
      tabs.map(async (tab) => locationOf(await tab.get(`${AUTHORIZE}?${query}`)).searchParams.get('interaction')),
    )
    service.advance(61_000)
    const resume = (index: 0 | 1) => {
      tabs[index]?.cookies.set('session', user.token)
      return tabs[index]?.get(`${AUTHORIZE}/${resumes[index]}`) as Promise<Answer>
    }
    codeIn(await resume(0))
    assert.equal(errorIn(await resume(1)), 'invalid_request_uri')
  })

  test('A pushed request can be opened for 60 seconds, also one that the previous version stored', async () => {
    const { database } = service.context
    for (const isOfPreviousVersion of [false, true]) {
      const open = async (waited: number) => {
        const { answer } = await pushed()
        const requests = database.updateTable('oauthArtifacts').where('kind', '=', 'PushedAuthorizationRequest')
        const set = requests.set(({ eb }) => ({ expiresAt: eb('createdAt', '+', 60_000) }))
        if (isOfPreviousVersion) await set.execute()
        service.advance(waited)
        const query = new URLSearchParams({ client_id: app.id, request_uri: answer.body.request_uri })
        return user.client.get(`${AUTHORIZE}?${query}`)
      }
      codeIn(await open(55_000))
      const late = await open(61_000)
      assert.equal(pageErrorOf(late), 'invalid_request_uri')
      assert.match(late.body, /The link of the app \(the client\) that sent you here has expired/)
    }
  })

  test('A pushed request is refused as the same request at authorize is, and never redirects', async () => {
    const errors: [Parameters, string][] = [
      [{ redirect_uri: 'https://evil.example' }, 'invalid_request'],
      [{ resource: 'http://api.example.com' }, 'invalid_target'],
      [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:one' }, 'request_uri_not_supported'],
      [{ request: unsignedRequest({}) }, 'request_not_supported'],
      [{ id_token_hint: 'no token' }, 'invalid_request'],
      [{ scope: undefined }, 'invalid_scope'],
      [{ scope: 'admin' }, 'invalid_scope'],
    ]
    for (const [parameters, error] of errors)
      assert.deepEqual(refusalOf((await pushed(parameters)).answer), [400, error])
    const { path } = await authorizationRequest(app)
    const form = new URL(path, service.baseUrl).searchParams
    assert.deepEqual(refusalOf(await postForm(service, PAR, form, basic({ id: app.id, secret: 'wrong' }))), [
      401,
      'invalid_client',
    ])
  })

  const consents: [name: string, metadata: Partial<ClientMetadata>][] = [
    ['public', { token_endpoint_auth_method: 'none' }],
    ['confidential', {}],
  ]
  for (const [name, metadata] of consents)
    test(`A ${name} client that is not of the service asks for consent once, and again for more`, async () => {
      const other = await createTestApp(service, metadata, { skipConsent: 0 })
      assert.equal(errorIn(await authorize({ scope: 'openid', prompt: 'none' }, other)), 'consent_required')
      const url = locationOf(await authorize({ scope: 'openid' }, other))
      assert.equal(url.pathname, '/consent')
      const { body } = await user.client.post('/api/auth/oauth2/consent', {
        accept: true,
        oauth_query: url.search.slice(1),
      })
      codeIn(await user.client.get(body.url))
      codeIn(await authorize({ scope: 'openid', prompt: 'none' }, other))
      assert.equal(errorIn(await authorize({ scope: 'openid email', prompt: 'none' }, other)), 'consent_required')
      assert.equal(locationOf(await authorize({ scope: 'openid', prompt: 'consent' }, other)).pathname, '/consent')
    })

  /** The user has allowed the client the scope `openid`. */
  async function createAllowedApp(metadata: Partial<ClientMetadata>, skipConsent: 0 | 1 = 0): Promise<TestApp> {
    const allowed = await createTestApp(service, metadata, { skipConsent })
    const consent = { userId: user.id, clientId: allowed.id, scopes: ['openid'], organizationId: null }
    await inTransaction(service.context, OPERATOR, (unit) => saveConsent(unit, consent))
    return allowed
  }

  test('A native client asks for consent each time (RFC 8252, section 8.6)', async () => {
    const native = await createAllowedApp({ application_type: 'native' })
    assert.equal(locationOf(await authorize({ scope: 'openid' }, native)).pathname, '/consent')
  })

  test('A request with a redirect URI on https://localhost asks for consent each time, unless its client needs none', async () => {
    const local = ['https://localhost:8443/', 'https://127.0.0.1/', 'https://[::1]/', 'https://app.localhost./']
    const redirect_uris = [REDIRECT_URI, ...local]
    const website = await createAllowedApp({ redirect_uris })
    const own = await createAllowedApp({ redirect_uris }, 1)
    for (const redirect_uri of local) {
      const request = { scope: 'openid', redirect_uri }
      assert.equal(locationOf(await authorize(request, website)).pathname, '/consent', redirect_uri)
      assert.equal(errorIn(await authorize({ ...request, prompt: 'none' }, website)), 'consent_required')
      codeIn(await authorize(request, own))
    }
    codeIn(await authorize({ scope: 'openid' }, website))
  })

  test('A user who refuses sends the client access_denied, and may allow less than it asks for', async () => {
    const other = await createTestApp(service, {}, { skipConsent: 0 })
    const answerPage = async (decision: object) => {
      const request = await authorizationRequest(other, { scope: 'openid email profile' })
      const url = locationOf(await user.client.get(request.path))
      const { body } = await user.client.post('/api/auth/oauth2/consent', {
        ...decision,
        oauth_query: url.search.slice(1),
      })
      return { request, answer: await user.client.get(body.url) }
    }
    assert.equal(errorIn((await answerPage({ accept: false })).answer), 'access_denied')
    const { request, answer } = await answerPage({ accept: true, scope: 'openid email' })
    const { body } = await askToken(service, other, codeForm(codeIn(answer), request.codeVerifier))
    assert.equal(body.scope, 'openid email')
    assert.deepEqual([payloadOf(body.id_token).email, payloadOf(body.id_token).name], [user.email, undefined])
  })
})
