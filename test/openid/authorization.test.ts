import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  authorizationRequest,
  codeIn,
  createTestApp,
  locationOf,
  payloadOf,
  signInTo,
  type TestApp,
} from '../support/openid.ts'
import { askToken, codeForm, errorIn, interactionIn, signInOnPage } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { administratorWithOrganization, member, type TestMember, type TestUser } from '../support/users.ts'

describe('Authorization', () => {
  let service: Service
  let founder: TestMember
  /** A signed-in member of one organization. Tests that sign in again use a new user. */
  let user: TestUser
  let app: TestApp
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    founder = await administratorWithOrganization(service)
    user = await member(service, founder)
    app = await createTestApp(service)
  })
  after(() => service.stop())

  const newUser = () => member(service, founder)
  const authorize = async (client: TestUser['client'], parameters?: Record<string, string | undefined>) =>
    client.get((await authorizationRequest(app, parameters)).path)

  async function tokensAfter(
    request: { path: string; codeVerifier: string },
    answer: Awaited<ReturnType<typeof authorize>>,
  ) {
    const { status, body } = await askToken(service, app, codeForm(codeIn(answer), request.codeVerifier))
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  test('oidcc-server: a user without a session signs in and goes on to the client with a code, state and issuer', async () => {
    const { email, id } = await newUser()
    const client = service.client()
    const request = await authorizationRequest(app, { nonce: 'n-0S6_WzA2Mj' })
    const answer = await signInOnPage(client, await client.get(request.path), { email })
    const url = locationOf(answer)
    assert.equal(`${url.origin}${url.pathname}`, 'https://app.example.com/callback')
    assert.deepEqual([...url.searchParams.keys()].sort(), ['code', 'iss', 'state'])
    assert.equal(url.searchParams.get('iss'), service.baseUrl)
    const tokens = await tokensAfter(request, answer)
    assert.deepEqual([tokens.token_type, tokens.expires_in], ['Bearer', 900])
    const { sub, nonce } = payloadOf(tokens.id_token)
    assert.deepEqual([sub, nonce], [id, 'n-0S6_WzA2Mj'])
  })

  test('oidcc-response-type-missing: the client gets an error', async () => {
    assert.equal(errorIn(await authorize(user.client, { response_type: undefined })), 'invalid_request')
  })

  test('oidcc-idtoken-signature: the ID token verifies with a key of the JWKS, and names the key', async () => {
    const { id_token = '' } = await signInTo(user, app)
    const keys = createRemoteJWKSet(new URL(app.config.serverMetadata().jwks_uri ?? ''))
    const { payload, protectedHeader } = await jwtVerify(id_token, keys, { issuer: service.baseUrl, audience: app.id })
    assert.equal(protectedHeader.alg, 'RS256')
    assert.ok(protectedHeader.kid)
    assert.ok((payload.exp ?? 0) > (payload.iat ?? 0))
  })

  for (const scope of ['openid', 'openid profile', 'openid email', 'openid profile email organization'])
    test(`oidcc-scope-*: ${scope} gives the claims of these scopes and no others`, async () => {
      const { access_token, id_token = '' } = await signInTo(user, app, { scope })
      const information = await user.client.get('/api/auth/oauth2/userinfo', {
        headers: { authorization: `Bearer ${access_token}`, cookie: '', origin: '' },
      })
      const { sub, amr, auth_time, acr, ...claims } = information.body
      const expected = [
        ...(scope.includes('profile') ? ['name', 'updated_at'] : []),
        ...(scope.includes('email') ? ['email', 'email_verified'] : []),
        ...(scope.includes('organization') ? ['org_id', 'org_slug', 'org_role', 'org_meta', 'is_staff'] : []),
      ]
      assert.deepEqual(Object.keys(claims).sort(), expected.sort())
      for (const name of expected) assert.deepEqual(payloadOf(id_token)[name], claims[name])
      assert.equal(sub, user.id)
    })

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the ID token has no nonce either', async () => {
    const tokens = await signInTo(user, app, { nonce: undefined })
    assert.equal(tokens.claims()?.nonce, undefined)
  })

  test('oidcc-ensure-other-scope-order-succeeds: scopes in another order give the same scopes', async () => {
    const { scope } = await signInTo(user, app, { scope: 'email profile openid' })
    assert.deepEqual(scope?.split(' ').sort(), ['email', 'openid', 'profile'])
  })

  const harmless: [module: string, parameters: Record<string, string>][] = [
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2 urn:mace:incommon:iap:silver' }],
    ['oidcc-prompt-none-logged-in', { prompt: 'none' }],
    ['oidcc-max-age-10000', { max_age: '10000' }],
  ]
  for (const [module, parameters] of harmless)
    test(`${module}: the user goes on to the client without a page`, async () => {
      const tokens = await signInTo(user, app, parameters)
      assert.equal(tokens.claims()?.sub, user.id)
      assert.equal(typeof tokens.claims()?.auth_time, 'number')
    })

  test('oidcc-prompt-login: the page asks again although a session lives, and auth_time is that of the new sign-in', async () => {
    const someone = await newUser()
    const first = await signInTo(someone, app)
    service.advance(10_000)
    const request = await authorizationRequest(app, { prompt: 'login' })
    const answer = await someone.client.get(request.path)
    const { url, resumePath } = interactionIn(answer, '/sign-in')
    assert.equal(url.searchParams.get('prompt'), 'login')
    interactionIn(await someone.client.get(resumePath), '/sign-in')
    const tokens = await tokensAfter(request, await signInOnPage(someone.client, answer, someone))
    assert.ok(Number(payloadOf(tokens.id_token).auth_time) > Number(first.claims()?.auth_time))
  })

  test('prompt=select_account lets a signed-in user sign in as another user, and gives no code for the present session', async () => {
    const [someone, other] = [await newUser(), await newUser()]
    const request = await authorizationRequest(app, { prompt: 'select_account' })
    const answer = await someone.client.get(request.path)
    const { url, resumePath } = interactionIn(answer, '/sign-in')
    assert.equal(url.searchParams.get('prompt'), 'select_account')
    interactionIn(await someone.client.get(resumePath), '/sign-in')
    const tokens = await tokensAfter(request, await signInOnPage(someone.client, answer, other))
    assert.equal(payloadOf(tokens.id_token).sub, other.id)
    interactionIn(await authorize(service.client(), { prompt: 'select_account consent' }), '/sign-in')
  })

  test('oidcc-prompt-none-not-logged-in: the client gets login_required', async () => {
    assert.equal(errorIn(await authorize(service.client(), { prompt: 'none' })), 'login_required')
  })

  test('oidcc-max-age-1: the page asks again when the sign-in is older, and prompt=none gets login_required', async () => {
    const someone = await newUser()
    const first = await signInTo(someone, app)
    service.advance(3_000)
    assert.equal(errorIn(await authorize(someone.client, { max_age: '1', prompt: 'none' })), 'login_required')
    const request = await authorizationRequest(app, { max_age: '1' })
    const answer = await signInOnPage(someone.client, await someone.client.get(request.path), someone)
    const tokens = await tokensAfter(request, answer)
    assert.ok(Number(payloadOf(tokens.id_token).auth_time) > Number(first.claims()?.auth_time))
  })

  test('max_age=0 asks again, as prompt=login does', async () => {
    interactionIn(await authorize(user.client, { max_age: '0' }), '/sign-in')
  })

  test('oidcc-id-token-hint: prompt=none goes on with the user of the hint, and not with another user', async () => {
    const { id_token } = await signInTo(user, app)
    codeIn(await authorize(user.client, { prompt: 'none', id_token_hint: id_token }))
    const other = await newUser()
    assert.equal(errorIn(await authorize(other.client, { prompt: 'none', id_token_hint: id_token })), 'login_required')
    assert.equal(
      errorIn(await authorize(user.client, { prompt: 'none', id_token_hint: 'no token' })),
      'invalid_request',
    )
  })

  test('A sub in claims: prompt=none goes on with this user only, and a sub without a value asks for no certain user', async () => {
    const other = await newUser()
    const ask = (client: TestUser['client'], sub: unknown) =>
      authorize(client, { prompt: 'none', claims: JSON.stringify({ id_token: { sub } }) })
    codeIn(await ask(user.client, { value: user.id }))
    for (const value of [user.id, null, 1]) assert.equal(errorIn(await ask(other.client, { value })), 'login_required')
    for (const sub of [null, { essential: true }]) codeIn(await ask(other.client, sub))
    for (const sub of [user.id, 1]) assert.equal(errorIn(await ask(other.client, sub)), 'invalid_request')
  })

  test('oidcc-login-hint: the sign-in page gets the email address', async () => {
    const answer = await authorize(service.client(), { login_hint: 'buffy@example.com' })
    assert.equal(interactionIn(answer, '/sign-in').url.searchParams.get('login_hint'), 'buffy@example.com')
  })

  test('oidcc-ensure-request-with-valid-pkce-succeeds, and a request without PKCE or with plain does not', async () => {
    await signInTo(user, app)
    const without = { code_challenge: undefined, code_challenge_method: undefined }
    assert.equal(errorIn(await authorize(user.client, without)), 'invalid_request')
    assert.equal(errorIn(await authorize(user.client, { code_challenge_method: 'plain' })), 'invalid_request')
    assert.equal(errorIn(await authorize(user.client, { code_challenge_method: undefined })), 'invalid_request')
  })
})
