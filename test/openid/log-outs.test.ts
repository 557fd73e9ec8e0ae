import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { createLogOutDelivery } from '../../server/features/openid/log-outs/delivery.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { withdrawSigningKey } from '../../server/features/tokens/withdraw-signing-key.ts'
import { createGuardedFetch } from '../../server/platform/http/guarded-fetch.ts'
import { type LogOutReceiver, startLogOutReceiver } from '../support/log-out-receiver.ts'
import {
  authorizationRequest,
  createTestApp,
  locationOf,
  payloadOf,
  signInTo,
  type TestApp,
} from '../support/openid.ts'
import { askToken, assertExpired, newCodeForm, pageErrorOf, postForm } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { afterStatement } from '../support/statements.ts'
import { refresh } from '../support/token-requests.ts'
import { administratorWithOrganization, member, sessionOf, type TestMember, type TestUser } from '../support/users.ts'

const END_SESSION = '/api/auth/oauth2/end-session'
const BYE = 'https://app.example.com/bye'

describe('Log-outs of clients', () => {
  let service: Service
  let founder: TestMember
  let app: TestApp
  let receiver: LogOutReceiver
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    founder = await administratorWithOrganization(service)
    receiver = await startLogOutReceiver()
    app = await createTestApp(service, { backchannel_logout_uri: receiver.uri, post_logout_redirect_uris: [BYE] })
  })
  after(async () => {
    receiver?.close()
    await service?.stop()
  })

  /** A user who has signed in to the app. */
  async function openScene() {
    const user = await member(service, founder)
    const { id_token = '', refresh_token = '' } = await signInTo(user, app)
    return { user, id_token, refresh_token, sid: payloadOf(id_token).sid }
  }

  const isSignedIn = async ({ client }: TestUser) => (await client.get('/api/auth/get-session')).body !== null
  const ask = ({ client }: Pick<TestUser, 'client'>, parameters: Record<string, string>) =>
    client.get(`${END_SESSION}?${new URLSearchParams(parameters)}`, { headers: { accept: 'text/html' } })

  /** Presses a button of the page. */
  async function press({ client }: Pick<TestUser, 'client'>, { body }: { body: string }, logout?: 'yes') {
    const fields = [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(
      ([, ...field]) => field,
    )
    assert.ok(fields.length > 0, body)
    const form = new URLSearchParams(fields)
    if (logout) form.set('logout', logout)
    const rawBody = String(form)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    return client.post(`${END_SESSION}/confirm`, undefined, { rawBody, headers })
  }

  /** Delivers the log-outs that are due. @returns those that the receiver got since the last call */
  async function deliver() {
    const count = receiver.requests.length
    const { context } = service
    const sender = { signingKeys: createSigningKeys(context), fetch: createGuardedFetch(context.config) }
    await createLogOutDelivery(context, sender).deliverDue()
    return receiver.requests.slice(count)
  }

  test('oidcc-rp-initiated-logout: the user confirms, the session ends, and the client gets its state', async () => {
    const { user, id_token, refresh_token } = await openScene()
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 'a state' }
    const page = await ask(user, parameters)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.doesNotMatch(page.headers.get('content-security-policy') ?? 'form-action', /form-action/)
    assert.doesNotMatch(page.body, /<script/)
    assert.equal(await isSignedIn(user), true)
    const answer = await press(user, page, 'yes')
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `${BYE}?state=a+state`])
    assert.equal(user.client.cookies.has('session'), false)
    assert.equal(await isSignedIn({ ...user, client: bearer(user.token) }), false)
    const refreshed = await askToken(service, app, { grant_type: 'refresh_token', refresh_token })
    assert.equal(refreshed.body.error, 'invalid_grant')
  })

  test('A browser with session cookies of several users is signed out of each of these sessions', async () => {
    const { user, id_token } = await openScene()
    const other = await member(service, founder)
    user.client.cookies.set('session', `${user.token}; session=stale; session=${other.token}`)
    const answer = await press(user, await ask(user, { id_token_hint: id_token }), 'yes')
    assert.equal(answer.status, 303)
    for (const { token } of [user, other]) assert.equal(await isSignedIn({ ...user, client: bearer(token) }), false)
  })

  function bearer(token: string): TestUser['client'] {
    const client = service.client()
    return { ...client, get: (path) => client.get(path, { headers: { authorization: `Bearer ${token}` } }) }
  }

  test('oidcc-rp-initiated-logout-no-state: the client gets no state', async () => {
    const { user, id_token } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    assert.equal((await press(user, page, 'yes')).headers.get('location'), BYE)
  })

  const withoutReturn: [module: string, parameters: (idToken: string) => Record<string, string>][] = [
    ['oidcc-rp-initiated-logout-no-params', () => ({})],
    ['oidcc-rp-initiated-logout-only-state', () => ({ state: 'a state' })],
    ['oidcc-rp-initiated-logout-no-post-logout-redirect-uri', (id_token_hint) => ({ id_token_hint })],
    ['oidcc-rp-initiated-logout-no-id-token-hint', () => ({ post_logout_redirect_uri: BYE, state: 'a state' })],
  ]
  for (const [module, parameters] of withoutReturn)
    test(`${module}: the user confirms and stays on our page`, async () => {
      const { user, id_token } = await openScene()
      const answer = await press(user, await ask(user, parameters(id_token)), 'yes')
      const url = locationOf(answer)
      assert.deepEqual([url.origin, url.pathname], [service.baseUrl, `${END_SESSION}/success`])
      const page = await user.client.get(`${url.pathname}${url.search}`)
      assert.deepEqual([page.status, page.headers.get('location')], [200, null])
      assert.match(page.body, /You are signed out/)
      assert.equal(await isSignedIn(user), false)
    })

  test('client_id instead of a hint is enough for a registered return, after the user has confirmed', async () => {
    const { user } = await openScene()
    const page = await ask(user, { client_id: app.id, post_logout_redirect_uri: BYE })
    assert.equal((await press(user, page, 'yes')).headers.get('location'), BYE)
  })

  test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, -query-added-to-post-logout-redirect-uri: our page', async () => {
    const { user, id_token } = await openScene()
    for (const post_logout_redirect_uri of [
      `${BYE}?a=b`,
      `${BYE}/more`,
      'https://evil.example/',
      'javascript:alert(1)',
    ]) {
      const answer = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri })
      assert.equal(pageErrorOf(answer), 'invalid_request')
      assert.doesNotMatch(answer.body, /<form/)
    }
    assert.equal(await isSignedIn(user), true)
  })

  test('oidcc-rp-initiated-logout-modified-id-token-hint, -bad-id-token-hint: our page, and the session lives', async () => {
    const { user, id_token } = await openScene()
    const [header, payload = '', signature] = id_token.split('.')
    const claims = { ...payloadOf(id_token), sub: 'usr_another' }
    const changed = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
    for (const id_token_hint of [changed, unsigned, 'no token', `${id_token}a`]) {
      const answer = await ask(user, { id_token_hint, post_logout_redirect_uri: BYE })
      assert.ok(pageErrorOf(answer), id_token_hint)
      assert.doesNotMatch(answer.body, /<form/)
    }
    assert.equal(await isSignedIn(user), true)
  })

  test('A log-out for a disabled client, or with a hint of a withdrawn key, says that its user is still signed in', async () => {
    const { user, id_token } = await openScene()
    const disabled = await createTestApp(service, {}, { disabled: 1 })
    const { kid } = decodeProtectedHeader(id_token)
    await withdrawSigningKey(service.context, String(kid))
    for (const parameters of [{ client_id: disabled.id }, { id_token_hint: id_token }]) {
      const page = await ask(user, parameters)
      assert.equal(page.status, 400)
      assert.match(page.body, /You are still signed in here\..+<a href="\/account">your account<\/a>/)
      assert.doesNotMatch((await ask({ client: service.client() }, parameters)).body, /signed in/)
    }
    const request = await authorizationRequest(disabled)
    assert.doesNotMatch((await user.client.get(request.path)).body, /signed in/)
  })

  test('A user stays signed in on the log-out page of a client that is disabled while it is open', async () => {
    const { user } = await openScene()
    const other = await createTestApp(service)
    const page = await ask(user, { client_id: other.id })
    const clients = service.context.database.updateTable('oauthClients').where('id', '=', other.id)
    await clients.set({ disabled: 1 }).execute()
    const url = locationOf(await press(user, page))
    const { status, body } = await user.client.get(`${url.pathname}${url.search}`)
    assert.equal(status, 200)
    assert.match(body, /You are still signed in here/)
    assert.equal(await isSignedIn(user), true)
  })

  test('An ID token that has expired is still a hint', async () => {
    const { user, id_token } = await openScene()
    service.advance(3_600_000)
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    assert.equal((await press(user, page, 'yes')).headers.get('location'), BYE)
  })

  test('An ID token of the former algorithm of its client is still a hint, also at an authorization', async () => {
    const { database } = service.context
    const changing = await createTestApp(service, { post_logout_redirect_uris: [BYE] })
    const user = await member(service, founder)
    const hints = []
    for (const id_token_signed_response_alg of ['RS256', 'ES256', 'RS256'] as const) {
      const { metadata } = await database
        .selectFrom('oauthClients')
        .select('metadata')
        .where('id', '=', changing.id)
        .executeTakeFirstOrThrow()
      const changed = JSON.stringify({ ...JSON.parse(metadata), id_token_signed_response_alg })
      await database.updateTable('oauthClients').set({ metadata: changed }).where('id', '=', changing.id).execute()
      hints.push((await askToken(service, changing, await newCodeForm(user, changing))).body.id_token)
      for (const id_token_hint of hints) {
        assert.match((await ask(user, { id_token_hint, post_logout_redirect_uri: BYE })).body, /name="logout"/)
        await newCodeForm(user, changing, { prompt: 'none', id_token_hint })
      }
    }
    const algorithms = hints.map((hint) => decodeProtectedHeader(hint).alg)
    assert.deepEqual(algorithms, ['RS256', 'ES256', 'RS256'])
  })

  test('The hint of another user does not sign out the user of this browser', async () => {
    const { id_token } = await openScene()
    const { user } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: '"s"&' })
    assert.match(page.body, /You are signed in as another user/)
    assert.doesNotMatch(page.body, /<form/)
    assert.ok(page.body.includes(`href="${BYE}?state=%22s%22%26"`), page.body)
    assert.equal(await isSignedIn(user), true)
  })

  test('A browser that is signed out goes back to the client without a question', async () => {
    const { user, id_token } = await openScene()
    await user.client.post('/api/auth/sign-out')
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 's' })
    const answer = await press(user, page, 'yes')
    assert.equal(answer.headers.get('location'), `${BYE}?state=s`)
  })

  test('A user who stays signed in ends only what this session has at the client', async () => {
    const { user, id_token, refresh_token, sid } = await openScene()
    const otherApp = await createTestApp(service)
    const ofOtherApp = await signInTo(user, otherApp)
    const ofOtherSession = await signInTo(await sessionOf(service, user), app)
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    const pressed = await press(user, page)
    assert.equal(pressed.headers.get('location'), BYE)
    const requestId = pressed.headers.get('x-request-id')
    const events = service.context.database.selectFrom('auditEvents').select(['action', 'subjectId'])
    const [event, ...others] = await events.where('requestId', '=', requestId).execute()
    assert.deepEqual([event?.action, event?.subjectId, others], ['oauth-grant.revoked', user.id, []])
    assert.equal(await isSignedIn(user), true)
    const refreshed = await askToken(service, app, { grant_type: 'refresh_token', refresh_token })
    assert.equal(refreshed.body.error, 'invalid_grant')
    assert.equal((await refresh(service, otherApp, ofOtherApp.refresh_token ?? '')).status, 200)
    assert.equal((await refresh(service, app, ofOtherSession.refresh_token ?? '')).status, 200)
    assert.deepEqual((await deliver()).map((request) => request.sid).includes(sid), true)
  })

  test('A confirmation of a log-out that is sent again leads back to the app with its state', async () => {
    const { user, id_token } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 'a state' })
    const first = await press(user, page, 'yes')
    const repeated = await press(user, page, 'yes')
    assert.equal(repeated.status, 303)
    const again = locationOf(repeated)
    assert.equal(again.pathname, END_SESSION)
    const answer = await press(user, await ask(user, Object.fromEntries(again.searchParams)), 'yes')
    assert.equal(answer.headers.get('location'), first.headers.get('location'))
    assert.equal(await isSignedIn(user), false)
  })

  test('A false press of “Stay signed in here” does not ask to sign out again', async () => {
    const { user, id_token } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    const answer = await press(user, { body: page.body.replace(/name="xsrf" value="/, '$&false') })
    assertExpired(answer, 'This sign-out')
    assert.match(answer.body, /You are still signed in here/)
  })

  test('A log-out page that has expired does not blame the app', async () => {
    const { user, id_token } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    service.advance(3_601_000)
    assertExpired(await press(user, page), 'This sign-out')
    assert.equal(await isSignedIn(user), true)
  })

  test('A log-out that fails shows the failure, and begins no log-out again', async (t) => {
    const { user, id_token } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE })
    const step = async () => {
      throw new Error('a fault of the database')
    }
    const failing = { matching: /from "oauthClients"/, step }
    const answer = await afterStatement(t, service, failing, () => press(user, page, 'yes'))
    assert.deepEqual([answer.status, answer.headers.get('location')], [500, null])
  })

  test('A confirmation of a log-out without an app that is sent again says that the user is signed out', async () => {
    const { user } = await openScene()
    const page = await ask(user, {})
    assert.doesNotMatch(page.body, /Stay signed in here/)
    await press(user, page, 'yes')
    const repeated = await press(user, page, 'yes')
    assertExpired(repeated, 'This sign-out')
    assert.match(repeated.body, /You are signed out here\./)
    assert.equal(await isSignedIn(user), false)
  })

  test('A false confirmation of a log-out leads to the question, and signs out no user', async () => {
    const { user } = await openScene()
    const body = '<input type="hidden" name="xsrf" value="false" /><input type="hidden" name="client_id" value="app" />'
    const answer = await press(user, { body: body.replace('"app"', `"${app.id}"`) }, 'yes')
    assert.equal(answer.status, 303)
    const page = await ask(user, Object.fromEntries(locationOf(answer).searchParams))
    assert.match(page.body, /asks to sign you out/)
    assert.equal(await isSignedIn(user), true)
  })

  test('The page after a log-out does not say that a user is signed out who stays signed in', async () => {
    const { user, id_token } = await openScene()
    const url = locationOf(await press(user, await ask(user, { id_token_hint: id_token })))
    assert.equal(url.pathname, `${END_SESSION}/success`)
    const { body } = await user.client.get(`${url.pathname}${url.search}`)
    assert.match(body, /You are signed out of Grafana/)
    assert.match(body, /You are still signed in here/)
    assert.equal(await isSignedIn(user), true)
    const answer = await press(user, await ask(user, { client_id: app.id }), 'yes')
    const success = await user.client.get(locationOf(answer).pathname)
    assert.match(success.body, /<h1>You are signed out</)
    assert.doesNotMatch(success.body, /still signed in/)
  })

  test('A browser without a session that names the one of a user does not change the open log-out page of the user', async () => {
    const { user, id_token } = await openScene()
    const page = await ask(user, { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 's' })
    const session = await service.context.database
      .selectFrom('sessions')
      .select('id')
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
    const headers = { accept: 'text/html', cookie: `openid-session=${session.id}` }
    const stranger = await service.client().get(`${END_SESSION}?client_id=${app.id}`, { headers })
    assert.equal(stranger.status, 200)
    assert.ok(!stranger.headers.get('set-cookie')?.includes(session.id))
    assert.equal((await press(user, page, 'yes')).headers.get('location'), `${BYE}?state=s`)
  })

  test('A form without the secret of the page, or from another site, signs no user out', async () => {
    const { user, id_token } = await openScene()
    await ask(user, { id_token_hint: id_token })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (rawBody: string, more = {}) =>
      user.client.post(`${END_SESSION}/confirm`, undefined, { rawBody, headers: { ...headers, ...more } })
    assert.equal((await send('logout=yes&xsrf=wrong')).status, 400)
    assert.equal((await send('logout=yes')).status, 400)
    const page = await ask(user, { id_token_hint: id_token })
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)?.[1]
    assert.equal((await send(`logout=yes&xsrf=${xsrf}`, { origin: 'https://evil.example' })).status, 403)
    assert.equal(await isSignedIn(user), true)
  })

  test('A log-out that the client posts as a form leads to the same page', async () => {
    const { user, id_token } = await openScene()
    const posted = await postForm(
      service,
      END_SESSION,
      { id_token_hint: id_token },
      { origin: 'https://app.example.com' },
    )
    assert.equal(posted.status, 303)
    const page = await user.client.get(posted.headers.get('location') ?? '')
    assert.equal((await press(user, page, 'yes')).status, 303)
  })

  test('oidcc-backchannel-rp-initiated-logout: the client gets one logout token with the sub and sid of its ID token', async () => {
    await deliver()
    const { user, id_token, sid } = await openScene()
    await press(user, await ask(user, { id_token_hint: id_token }), 'yes')
    const [request, ...others] = await deliver()
    assert.deepEqual(others, [])
    assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8')
    const keys = createRemoteJWKSet(new URL(app.config.serverMetadata().jwks_uri ?? ''))
    const { payload, protectedHeader } = await jwtVerify(request?.form.get('logout_token') ?? '', keys, {
      issuer: service.baseUrl,
      audience: app.id,
      typ: 'logout+jwt',
      currentDate: new Date(service.context.now()),
    })
    assert.equal(protectedHeader.alg, 'RS256')
    assert.deepEqual([payload.sub, payload.sid, payload.nonce], [user.id, sid, undefined])
    assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
    assert.ok(payload.jti)
    assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 600)
    assert.deepEqual(await deliver(), [])
  })

  test('Two sign-ins of one session at a client are one session of the client; another session is another', async () => {
    const { user, sid } = await openScene()
    assert.equal(payloadOf((await signInTo(user, app)).id_token ?? '').sid, sid)
    assert.notEqual((await openScene()).sid, sid)
  })

  test('After a log-out, the next sign-in has a new sid', async () => {
    const { user, id_token, sid } = await openScene()
    await press(user, await ask(user, { id_token_hint: id_token }))
    const form = await newCodeForm(user, app)
    const { body } = await askToken(service, app, form)
    assert.notEqual(payloadOf(body.id_token).sid, sid)
  })

  test('The page of a log-out is limited for a network without a session, because it stores its form', async (t) => {
    const client = service.client()
    const { limits } = service.config
    const { networkChanges } = limits
    limits.networkChanges = 3
    t.after(() => {
      limits.networkChanges = networkChanges
    })
    const ask = () => client.get('/api/auth/oauth2/end-session')
    const answers = await Promise.all(Array.from({ length: limits.networkChanges + 1 }, ask))
    assert.equal(answers.filter(({ status }) => status === 429).length, 1)
  })
})
