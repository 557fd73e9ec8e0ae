import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRedirectUriFault } from '../../server/core/oauth-clients/redirect-uris.ts'
import type { Answer } from '../support/client.ts'
import { maliciousUrls } from '../support/malicious-urls.ts'
import { authorizationRequest, codeIn, createTestApp, REDIRECT_URI, signInTo } from '../support/openid.ts'
import { askToken, basic, errorIn, interactionIn, pageErrorOf, postForm, signInOnPage } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { administratorWithOrganization, member, newMember, type TestUser } from '../support/users.ts'

const AUTH = '/api/auth'
/** URLs that other software has accepted instead of the registered URL. */
const NEAR = [
  `${REDIRECT_URI}/../evil`,
  `${REDIRECT_URI}/%2e%2e/evil`,
  `${REDIRECT_URI}?next=https://evil.example`,
  `${REDIRECT_URI}#code`,
  `${REDIRECT_URI}%00`,
  `${REDIRECT_URI}%0d%0aset-cookie:x=1`,
  `${REDIRECT_URI} https://evil.example`,
  `${REDIRECT_URI}.evil.example`,
  'https://app.example.com',
  'https://app.example.com/',
  'https://app.example.com:443/callback',
  'https://APP.example.com/callback',
  'https://app.example.com./callback',
  'https://app.example.com/Callback',
  'https://app.example.com//callback',
  'https://app-example.com/callback',
  'https://app.example.com@evil.example/callback',
  'https://evil.example/?https://app.example.com/callback',
  'http://127.0.0.1/callback',
  'http://localhost:1/callback',
]

onEachDatabase('Redirects of OpenID Connect', (service, engine) => {
  const isSignedIn = async ({ client }: TestUser) => (await client.get(`${AUTH}/get-session`)).body !== null
  const confirm = ({ client }: TestUser, form: string, headers = {}): Promise<Answer> =>
    client.post(`${AUTH}/oauth2/end-session/confirm`, undefined, {
      rawBody: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  test('CVE-2023-6927, CVE-2024-8883, CVE-2020-15234, CVE-2024-52289: only the registered redirect URI, as text, gets a redirect', async () => {
    const { client } = await newMember(service())
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app, { redirect_uri: undefined })
    // The second value causes an error, which must not be sent to that URL either.
    const uris = engine === 'sqlite' ? [...NEAR, ...maliciousUrls] : NEAR.slice(0, 8)
    for (const uri of uris)
      for (const more of ['', '&prompt=none&scope=unknown']) {
        const { status, headers, body } = await client.get(`${path}&redirect_uri=${encodeURIComponent(uri)}${more}`)
        assert.deepEqual([status, headers.get('location')], [400, null], uri)
        assert.doesNotMatch(String(body), /(href|action|src)="[^"]*evil/, uri)
        if (more === '' && uri.length % 4 !== 0) break
      }
    const pushed = new URL(path, service().baseUrl).searchParams
    pushed.set('redirect_uri', 'https://evil.example/callback')
    assert.equal((await postForm(service(), `${AUTH}/oauth2/par`, pushed, basic(app))).status, 400)
  })

  /** A user, and an app that can lose the redirect URI of the request. */
  async function openRemovable(skipConsent: 0 | 1) {
    const founder = await administratorWithOrganization(service())
    const user = await member(service(), founder)
    const former = 'https://former.example.net/callback'
    const metadata = { redirect_uris: [REDIRECT_URI, former] }
    const app = await createTestApp(service(), metadata, { organizationId: founder.organization.id, skipConsent })
    const { path } = await authorizationRequest(app, { redirect_uri: former })
    const remove = async () => {
      const update = { redirect_uris: [REDIRECT_URI] }
      const { status } = await founder.client.post(`${AUTH}/oauth2/update-client`, { client_id: app.id, update })
      assert.equal(status, 200)
    }
    return { user, app, path, remove }
  }

  test('A redirect URI that is removed while a page is open gets no code, and the browser stays here', async () => {
    const { user, app, path, remove } = await openRemovable(1)
    const [kept, removed] = [service().client(), service().client()]
    const pageOfKept = await kept.get((await authorizationRequest(app)).path)
    const pageOfRemoved = await removed.get(path)
    await remove()
    assert.equal(pageErrorOf(await signInOnPage(removed, pageOfRemoved, user)), 'invalid_redirect_uri')
    codeIn(await signInOnPage(kept, pageOfKept, user))
  })

  test('A redirect URI that is removed while the user decides gets no refusal either, and the page says that it expired', async () => {
    const { user, path, remove } = await openRemovable(0)
    const { query } = interactionIn(await user.client.get(path), '/consent')
    await remove()
    for (const accept of [true, false]) {
      const refused = await user.client.post(`${AUTH}/oauth2/consent`, { accept, oauth_query: query })
      assert.deepEqual([refused.status, refused.body.code], [404, 'INTERACTION_NOT_FOUND'])
    }
  })

  test('A redirect URI that is removed after the user has decided gets neither the code nor the refusal', async () => {
    for (const accept of [true, false]) {
      const { user, path, remove } = await openRemovable(0)
      const { query, resumePath } = interactionIn(await user.client.get(path), '/consent')
      assert.equal((await user.client.post(`${AUTH}/oauth2/consent`, { accept, oauth_query: query })).status, 200)
      await remove()
      assert.equal(pageErrorOf(await user.client.get(resumePath)), 'invalid_redirect_uri')
    }
  })

  test('A client that loses the grant type of codes while a page is open gets no code, and no session of the user', async () => {
    const founder = await administratorWithOrganization(service())
    const user = await member(service(), founder)
    const app = await createTestApp(service(), {}, { organizationId: founder.organization.id, skipConsent: 0 })
    const browser = service().client()
    const signIn = await browser.get((await authorizationRequest(app)).path)
    const { query } = interactionIn(await user.client.get((await authorizationRequest(app)).path), '/consent')
    const update = { grant_types: ['client_credentials'], response_types: [] }
    const { status } = await founder.client.post(`${AUTH}/oauth2/update-client`, { client_id: app.id, update })
    assert.equal(status, 200)
    assert.equal(errorIn(await signInOnPage(browser, signIn, user)), 'unauthorized_client')
    const refused = await user.client.post(`${AUTH}/oauth2/consent`, { accept: true, oauth_query: query })
    assert.deepEqual([refused.status, refused.body.code], [404, 'INTERACTION_NOT_FOUND'])
    const sessions = service().context.database.selectFrom('clientSessions').select('sid')
    assert.deepEqual(await sessions.where('clientId', '=', app.id).execute(), [])
  })

  test('A client without the grant type of codes gets unauthorized_client, in a redirect and in a form', async () => {
    const { client } = await newMember(service())
    const app = await createTestApp(service(), { grant_types: ['client_credentials'], response_types: [] })
    assert.equal(errorIn(await client.get((await authorizationRequest(app)).path)), 'unauthorized_client')
    const { body } = await client.get((await authorizationRequest(app, { response_mode: 'form_post' })).path)
    assert.match(body, /name="error" value="unauthorized_client"/)
    assert.match(body, /name="error_description" value="[^"]+ is not allowed for this client"/)
    // The state of a client is no description of an error.
    const odd = { response_mode: 'form_post', prompt: 'unknown', state: 'x is not allowed for this client' }
    const other = await client.get((await authorizationRequest(await createTestApp(service()), odd)).path)
    assert.match(other.body, /name="error" value="invalid_request"/)
  })

  test('A log-out redirect URI that is removed, or whose client is disabled, while the page is open is not used', async () => {
    const founder = await administratorWithOrganization(service())
    const former = 'https://former.example.net/bye'
    const columns = { organizationId: founder.organization.id }
    for (const update of [{ post_logout_redirect_uris: [] }, { disabled: true }]) {
      const app = await createTestApp(service(), { post_logout_redirect_uris: [former] }, columns)
      const user = await member(service(), founder)
      const query = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: former })
      const { body } = await user.client.get(`${AUTH}/oauth2/end-session?${query}`)
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(body)?.[1]
      const { status } = await founder.client.post(`${AUTH}/oauth2/update-client`, { client_id: app.id, update })
      assert.equal(status, 200)
      const location = (await confirm(user, `logout=yes&xsrf=${xsrf}`)).headers.get('location')
      assert.equal(new URL(location ?? '').pathname, `${AUTH}/oauth2/end-session/success`)
      assert.ok(!(await isSignedIn(user)))
    }
  })

  test('CVE-2023-6134, CVE-2024-21637: no address of another kind can be registered, for web or native clients', () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'blob:https://a',
      'vbscript:x',
      'file:///etc/passwd',
      'about:blank',
    ])
      for (const type of ['web', 'native'] as const) assert.ok(findRedirectUriFault(uri, type), `${uri} ${type}`)
  })

  test('CVE-2022-3782: post_logout_redirect_uri leads to a registered address only, as text', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { id_token: hint } = await signInTo(user, app)
    for (const uri of [...NEAR, ...maliciousUrls].filter((url, index) => url !== '' && index % 4 === 0)) {
      const query = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: uri })
      if (uri.length % 2 === 0) query.set('id_token_hint', hint ?? '')
      const { status, headers, body } = await user.client.get(`${AUTH}/oauth2/end-session?${query}`)
      assert.deepEqual([status, headers.get('location')], [400, null], uri)
      assert.doesNotMatch(String(body), /(href|action|src)="[^"]*evil/, uri)
    }
    const other = await createTestApp(service(), { post_logout_redirect_uris: ['https://other.example.com/bye'] })
    const foreign = new URLSearchParams({ id_token_hint: hint ?? '', client_id: other.id })
    assert.equal((await user.client.get(`${AUTH}/oauth2/end-session?${foreign}`)).status, 400)
    assert.ok(await isSignedIn(user))
  })

  test('Log-out CSRF: neither a link, nor a form without the secret of the page, nor another origin signs out', async () => {
    const [user, attacker] = [await newMember(service()), await newMember(service())]
    const app = await createTestApp(service())
    const page = `${AUTH}/oauth2/end-session?client_id=${app.id}`
    const secretOf = ({ body }: Answer) => /name="xsrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const own = secretOf(await user.client.get(page))
    const foreign = secretOf(await attacker.client.get(page))
    assert.ok(own !== '' && foreign !== '' && own !== foreign)
    for (const form of ['logout=yes', 'logout=yes&xsrf=', `logout=yes&xsrf=${foreign}`, `logout=yes&xsrf=${own}x`])
      assert.equal((await confirm(user, form)).status, 400, form)
    for (const origin of ['https://evil.example', 'null']) {
      const { status, body } = await confirm(user, `logout=yes&xsrf=${own}`, { origin })
      assert.deepEqual([status, body.code], [403, 'INVALID_ORIGIN'])
    }
    assert.ok(await isSignedIn(user))
    assert.ok((await confirm(user, `logout=yes&xsrf=${own}`)).status < 400)
    assert.ok(!(await isSignedIn(user)))
    assert.ok(await isSignedIn(attacker))
  })

  test('CVE-2023-2585, CVE-2024-38371: a device code is usable by its client only, and approved by members only', async () => {
    const [user, stranger] = [await newMember(service()), await newMember(service())]
    const [app, other] = [await createTestApp(service()), await createTestApp(service())]
    const { body: device } = await postForm(
      service(),
      `${AUTH}/device/code`,
      // The client is the one that authenticates, also if the form names another client.
      { scope: 'openid', client_id: app.id },
      basic(app),
    )
    const { body } = await user.client.get(`${AUTH}/device?user_code=${device.user_code}`)
    assert.equal(body.client.clientId, app.id)
    const spoofed = await postForm(
      service(),
      `${AUTH}/device/code`,
      { scope: 'openid', client_id: other.id },
      basic(app),
    )
    assert.equal(spoofed.status, 400)
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code }
    assert.equal((await user.client.post(`${AUTH}/device/approve`, { userCode: device.user_code })).status, 200)
    assert.equal((await askToken(service(), other, form)).body.error, 'invalid_grant')
    assert.equal((await askToken(service(), app, form)).status, 200)
    const owned = await createTestApp(service(), {}, { organizationId: user.organization.id })
    const { body: ofOwned } = await postForm(service(), `${AUTH}/device/code`, { scope: 'openid' }, basic(owned))
    const userCode = ofOwned.user_code
    for (const organizationId of [undefined, stranger.organization.id]) {
      const refused = await stranger.client.post(`${AUTH}/device/approve`, { userCode, organizationId })
      assert.ok(refused.status >= 400, JSON.stringify(refused.body))
    }
  })

  test('Guessed user codes are limited', async () => {
    const user = await newMember(service())
    const statuses = new Set<number>()
    let tries = 0
    for (; tries < 200 && !statuses.has(429); tries += 1) {
      const { status, body } = await user.client.get(`${AUTH}/device?user_code=BBBB-${String(tries).padStart(4, 'B')}`)
      statuses.add(status)
      if (status !== 429) assert.equal(body.code, 'DEVICE_CODE_NOT_FOUND')
    }
    assert.ok(tries < 50, `${tries} tries`)
  })
})
