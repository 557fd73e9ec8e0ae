import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { tokenIntrospection } from 'openid-client'
import { MIGRATIONS } from '../../server/platform/database/migration.ts'
import { createOnlineSteps } from '../../server/platform/database/online-steps.ts'
import type { AuthenticationMethods } from '../../server/platform/database/tables.ts'
import { authorizationRequest, codeIn, createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import {
  askToken,
  assertExpired,
  codeForm,
  errorIn,
  interactionIn,
  newCodeForm,
  refusalOf,
} from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { exchange, refresh } from '../support/token-requests.ts'
import { enableTotp, firstStep } from '../support/two-step.ts'
import { administrator, administratorWithOrganization, member, type TestMember } from '../support/users.ts'

const ONE_STEP = 'urn:accounts:one-step'
const TWO_STEP = 'urn:accounts:two-step'

describe('Sessions at clients', () => {
  let service: Service
  let founder: TestMember
  let app: TestApp
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    founder = await administratorWithOrganization(service)
    app = await createTestApp(service)
  })
  after(() => service.stop())

  type Parameters = Record<string, string | undefined>

  const authorize = async ({ client }: Pick<TestMember, 'client'>, parameters: Parameters = {}) =>
    client.get((await authorizationRequest(app, parameters)).path)

  /** Changes how the user's session was signed in. */
  const setMethods = (user: TestMember, authenticationMethods: AuthenticationMethods) =>
    service.context.database
      .updateTable('sessions')
      .set({ authenticationMethods })
      .where('userId', '=', user.id)
      .execute()

  const methods: [methods: AuthenticationMethods, acr: string][] = [
    ['pwd', ONE_STEP],
    ['pwd otp mfa', TWO_STEP],
    ['hwk user mfa', TWO_STEP],
  ]
  for (const [name, acr] of methods)
    test(`amr and acr say how the user signed in: ${name}`, async () => {
      const user = await member(service, founder)
      await setMethods(user, name)
      const tokens = await signInTo(user, app)
      for (const claims of [tokens.claims() ?? {}, payloadOf(tokens.access_token)])
        assert.deepEqual(claims.amr, name.split(' '))
      assert.equal(tokens.claims()?.acr, acr)
    })

  test('auth_time is the sign-in of the session, also of a later authorization', async () => {
    const user = await member(service, founder)
    const { createdAt } = await service.context.database
      .selectFrom('sessions')
      .select('createdAt')
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
    const first = await signInTo(user, app)
    service.advance(90_000)
    const second = await signInTo(user, app)
    const expected = Math.floor(createdAt / 1000)
    assert.deepEqual([first.claims()?.auth_time, second.claims()?.auth_time], [expected, expected])
  })

  test('sid is neither the token of the session nor its id, and differs between clients', async () => {
    const user = await member(service, founder)
    const sids = new Set(
      [app, await createTestApp(service)].map(async (client) => (await signInTo(user, client)).claims()?.sid),
    )
    const [one, other] = await Promise.all(sids)
    assert.notEqual(one, other)
    const row = await service.context.database
      .selectFrom('sessions')
      .selectAll()
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
    for (const secret of [user.token, row.id, row.tokenHash]) assert.notEqual(one, secret)
  })

  test('A user whose email address is not verified any more gets no code', async () => {
    const user = await member(service, founder)
    const { database } = service.context
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute()
    assert.equal(errorIn(await authorize(user)), 'access_denied')
  })

  test('prompt=login asks again when the clock of another process was ahead at the sign-in', async () => {
    const user = await member(service, founder)
    const createdAt = service.context.now() + 1_000
    await service.context.database.updateTable('sessions').set({ createdAt }).where('userId', '=', user.id).execute()
    interactionIn(await authorize(user, { prompt: 'login' }), '/sign-in')
  })

  test('acr_values and an acr in the claims ask for two steps, and prompt=none gets interaction_required', async () => {
    const user = await member(service, founder)
    const inClaims = (acr: object) => ({ claims: JSON.stringify({ id_token: { acr } }) })
    const essential = inClaims({ essential: true, value: TWO_STEP })
    // A voluntary claim with values asks as acr_values do (OpenID Connect Core 1.0, section 5.5.1.1).
    const voluntary = inClaims({ values: [TWO_STEP] })
    for (const parameters of [{ acr_values: TWO_STEP }, { acr_values: `${TWO_STEP} other` }, essential, voluntary]) {
      interactionIn(await authorize(user, parameters), '/second-step')
      assert.equal(errorIn(await authorize(user, { ...parameters, prompt: 'none' })), 'interaction_required')
    }
    await setMethods(user, 'pwd otp mfa')
    codeIn(await authorize(user, { acr_values: TWO_STEP, prompt: 'none' }))
    codeIn(await authorize(user, { ...essential, prompt: 'none' }))
  })

  test('A client that accepts the class of the session, too, asks for no second step', async () => {
    const user = await member(service, founder)
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: [TWO_STEP, ONE_STEP] } } })
    for (const parameters of [{ acr_values: `${ONE_STEP} ${TWO_STEP}` }, { claims }])
      codeIn(await authorize(user, { ...parameters, prompt: 'none' }))
  })

  test("An essential acr that the sign-in can't have gets unmet_authentication_requirements", async () => {
    const user = await member(service, founder)
    const ask = (acr: object) => authorize(user, { claims: JSON.stringify({ id_token: { acr } }) })
    const other = { essential: true, values: ['urn:example:other'] }
    assert.equal(errorIn(await ask(other)), 'unmet_authentication_requirements')
    codeIn(await ask({ ...other, essential: false }))
    codeIn(await ask({ essential: true, value: ONE_STEP }))
    codeIn(await ask({ essential: true }))
    await setMethods(user, 'pwd otp mfa')
    assert.equal(errorIn(await ask({ essential: true, value: ONE_STEP })), 'unmet_authentication_requirements')
  })

  test('A user with an authenticator app signs in in two steps on the page, and goes on to the client', async () => {
    const user = await member(service, founder)
    const { codeAt } = await enableTotp(service, user)
    const client = service.client()
    const request = await authorizationRequest(app, { acr_values: TWO_STEP })
    const { resumePath } = interactionIn(await client.get(request.path), '/sign-in')
    assert.equal((await firstStep(client, user.email)).body.twoFactorRedirect, true)
    interactionIn(await client.get(resumePath), '/sign-in')
    const code = codeAt(service.context.now())
    assert.equal((await client.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
    const { body } = await askToken(service, app, codeForm(codeIn(await client.get(resumePath)), request.codeVerifier))
    const { acr, amr } = payloadOf(body.id_token)
    assert.deepEqual([acr, amr], [TWO_STEP, ['pwd', 'otp', 'mfa']])
  })

  test('The policy of an organization asks for two steps, and ends tokens that were given before', async () => {
    const second = await administratorWithOrganization(service)
    const user = await member(service, second)
    const tokens = await signInTo(user, app)
    const form = await newCodeForm(user, app)
    await service.context.database
      .updateTable('organizations')
      .set({ requireTwoFactor: 1 })
      .where('id', '=', second.organization.id)
      .execute()
    interactionIn(await authorize(user), '/second-step')
    assert.equal(errorIn(await authorize(user, { prompt: 'none' })), 'interaction_required')
    assert.deepEqual(await tokenIntrospection(app.config, tokens.access_token), { active: false })
    assert.deepEqual(refusalOf(await askToken(service, app, form)), [400, 'invalid_grant'])
    const refused = await refresh(service, app, tokens.refresh_token ?? '')
    assert.deepEqual(refusalOf(refused), [400, 'invalid_grant'])
    codeIn(await authorize(user, { scope: 'openid' }))
  })

  describe('A step-up after the sign-in at an app', () => {
    let user: TestMember
    let earlier: { access_token: string; refresh_token?: string }
    let jwt: string
    before(async () => {
      const boss = await administratorWithOrganization(service)
      user = await member(service, boss)
      const { codeAt } = await enableTotp(service, user)
      earlier = await signInTo(user, app)
      jwt = (await user.client.get(`/api/token?org=${boss.organization.slug}`)).body.token
      const code = codeAt(service.context.now())
      assert.equal((await user.client.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
    })
    const setRequired = (requireTwoFactor: number) =>
      service.context.database
        .updateTable('organizations')
        .set({ requireTwoFactor })
        .where('id', '=', user.organization.id)
        .execute()

    test('A step-up raises no token of a refresh or an exchange', async () => {
      const { body } = await refresh(service, app, earlier.refresh_token ?? '')
      earlier.refresh_token = body.refresh_token
      const exchanged = await Promise.all([earlier.access_token, jwt].map((token) => exchange(service, app, token)))
      const ofExchange = exchanged.map((answer) => answer.body.access_token)
      const again = await Promise.all(ofExchange.map((token) => exchange(service, app, token)))
      const ofAgain = again.map((answer) => answer.body.access_token)
      for (const token of [body.access_token, body.id_token, ...ofExchange, ...ofAgain])
        assert.deepEqual(payloadOf(token).amr, ['pwd'])
    })

    test('An organization that requires two steps refuses tokens from before the step-up', async () => {
      await setRequired(1)
      assert.deepEqual(refusalOf(await refresh(service, app, earlier.refresh_token ?? '')), [400, 'invalid_grant'])
      for (const token of [earlier.access_token, jwt])
        assert.deepEqual(refusalOf(await exchange(service, app, token)), [400, 'invalid_request'])
      await setRequired(0)
    })

    test('The next sign-in at the app has the steps of the session', async () => {
      const next = await signInTo(user, app)
      const refreshed = (await refresh(service, app, next.refresh_token ?? '')).body
      const { body } = await exchange(service, app, next.access_token)
      for (const token of [next.access_token, refreshed.access_token, refreshed.id_token, body.access_token])
        assert.deepEqual(payloadOf(token).amr, ['pwd', 'otp', 'mfa'])
    })
  })

  test('A grant of an earlier version follows its session, until the upgrade stores the methods', async () => {
    const { database } = service.context
    const user = await member(service, founder)
    const { refresh_token = '' } = await signInTo(user, app)
    const ofUser = database.updateTable('oauthGrants').where('userId', '=', user.id)
    await ofUser.set({ authenticationMethods: null }).execute()
    await setMethods(user, 'pwd')
    await MIGRATIONS['0038-methods-of-earlier-grants']?.online?.(createOnlineSteps(database, () => {}))
    await setMethods(user, 'pwd otp mfa')
    const { body } = await refresh(service, app, refresh_token)
    assert.deepEqual(payloadOf(body.access_token).amr, ['pwd'])
    await ofUser.set({ authenticationMethods: null }).execute()
    const later = await refresh(service, app, body.refresh_token)
    assert.deepEqual(payloadOf(later.body.access_token).amr, ['pwd', 'otp', 'mfa'])
  })

  test('When a session has one step again, both tokens of a refresh say so', async () => {
    const user = await member(service, founder)
    await setMethods(user, 'pwd otp mfa')
    const { refresh_token = '' } = await signInTo(user, app)
    await setMethods(user, 'pwd')
    const { body } = await refresh(service, app, refresh_token)
    for (const token of [body.access_token, body.id_token]) assert.deepEqual(payloadOf(token).amr, ['pwd'])
    assert.equal(payloadOf(body.id_token).acr, ONE_STEP)
  })

  test('An impersonated session gets tokens that name the impersonator, and no refresh token', async () => {
    const user = await member(service, founder)
    const admin = await administrator(service)
    await admin.client.post('/api/auth/admin/impersonate-user', { userId: user.id, reason: 'ticket 4711' })
    const tokens = await signInTo(admin, app, { scope: 'openid organization offline_access', prompt: 'consent' })
    assert.equal(tokens.refresh_token, undefined)
    for (const claims of [tokens.claims() ?? {}, payloadOf(tokens.access_token)])
      assert.deepEqual([claims.sub, claims.act], [user.id, { sub: admin.id }])
    const { token } = (await admin.client.get('/api/auth/get-session')).body.session
    const exchanged = await exchange(service, app, token, { organization: founder.organization.slug })
    assert.deepEqual(payloadOf(exchanged.body.access_token).act, { sub: app.id, act: { sub: admin.id } })
    await admin.client.post('/api/auth/admin/stop-impersonating')
    assert.deepEqual(await tokenIntrospection(app.config, tokens.access_token), { active: false })
  })

  test('An impersonator allows no app anything: the consent page is refused', async () => {
    const user = await member(service, founder)
    const admin = await administrator(service)
    const other = await createTestApp(service, {}, { skipConsent: 0 })
    await admin.client.post('/api/auth/admin/impersonate-user', { userId: user.id, reason: 'ticket 4711' })
    const answer = await admin.client.get((await authorizationRequest(other, { scope: 'openid' })).path)
    const { query } = interactionIn(answer, '/consent')
    const { status } = await admin.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query: query })
    assert.equal(status, 403)
  })

  test("The page of one browser can't be finished in another: the other browser gets a page of its own user only", async () => {
    const victim = await member(service, founder)
    const attacker = await member(service, founder)
    const other = await createTestApp(service, {}, { skipConsent: 0 })
    const { path } = await authorizationRequest(other, { scope: 'openid' })
    const { query, resumePath } = interactionIn(await attacker.client.get(path), '/consent')
    const described = await victim.client.get(`/api/auth/oauth2/get-interaction?${query}`)
    assert.deepEqual([described.status, described.body.code], [404, 'INTERACTION_NOT_FOUND'])
    const consent = await victim.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query: query })
    assert.deepEqual([consent.status, consent.body.code], [404, 'INTERACTION_NOT_FOUND'])
    const login = interactionIn(await service.client().get((await authorizationRequest(app)).path), '/sign-in')
    for (const path of [resumePath, login.resumePath]) assertExpired(await victim.client.get(path), 'This sign-in')
  })

  test('get-interaction tells a browser without a session about the app, and nothing about the user', async () => {
    const user = await member(service, founder)
    const other = await createTestApp(service, {}, { skipConsent: 0 })
    const answer = await user.client.get((await authorizationRequest(other, { scope: 'openid' })).path)
    const { query } = interactionIn(answer, '/consent')
    const { body } = await service.client().get(`/api/auth/oauth2/get-interaction?${query}`)
    assert.deepEqual([body.kind, body.user, body.organizations], ['consent', null, []])
    assert.ok(!JSON.stringify(body).includes(user.id))
  })
})
