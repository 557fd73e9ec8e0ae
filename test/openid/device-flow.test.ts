import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashToken } from '../../server/platform/crypto/tokens.ts'
import { createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { askToken, basic, postForm, refusalOf } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import {
  administratorWithOrganization,
  joinOrganization,
  member,
  newMember,
  sessionOf,
  type TestMember,
} from '../support/users.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const DEVICE = '/api/auth/device'
const ONE_STEP = 'urn:accounts:one-step'
const TWO_STEP = 'urn:accounts:two-step'

interface Device {
  device_code: string
  user_code: string
}

onEachDatabase('Devices', (service) => {
  let scene: Promise<{ founder: TestMember; user: TestMember; app: TestApp }> | undefined
  const open = () => {
    scene ??= administratorWithOrganization(service()).then(async (founder) => ({
      founder,
      user: await member(service(), founder),
      app: await createTestApp(service()),
    }))
    return scene
  }
  const begin = async (app: TestApp, form: Record<string, string> = {}) =>
    (await postForm(service(), `${DEVICE}/code`, { scope: 'openid email organization', ...form }, basic(app))).body
  const poll = (app: TestApp, { device_code }: Device) =>
    askToken(service(), app, { grant_type: GRANT_TYPE, device_code })
  const approve = ({ client }: Pick<TestMember, 'client'>, { user_code }: Device, more = {}) =>
    client.post(`${DEVICE}/approve`, { userCode: user_code, ...more })

  test('The response of RFC 8628 names the page, and neither code is stored as it is', async () => {
    const { app } = await open()
    const { device_code, user_code, ...answer } = await begin(app)
    assert.deepEqual(answer, {
      verification_uri: `${service().baseUrl}/device`,
      verification_uri_complete: `${service().baseUrl}/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    })
    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const rows = JSON.stringify(await service().context.database.selectFrom('oauthArtifacts').selectAll().execute())
    assert.match(rows, /"DeviceCode"/)
    for (const value of [device_code, user_code, user_code.replace('-', '')]) assert.ok(!rows.includes(value))
  })

  test('A device waits, is told to slow down when it asks too often, and gets tokens once', async () => {
    const { user, app } = await open()
    const device = await begin(app)
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'authorization_pending'])
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'slow_down'])
    service().advance(5_000)
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'authorization_pending'])
    assert.equal((await approve(user, device)).status, 200)
    const { status, headers, body } = await poll(app, device)
    assert.deepEqual([status, headers.get('pragma')], [200, 'no-cache'])
    const { sub, org_id, amr, sid } = payloadOf(body.id_token)
    assert.deepEqual([sub, org_id, amr], [user.id, user.organization.id, ['pwd']])
    assert.ok(sid)
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'invalid_grant'])
  })

  test('A poll that comes too early changes nothing: the next poll after five seconds need not slow down', async () => {
    const { app } = await open()
    const device = await begin(app)
    for (const [milliseconds, error] of [
      [0, 'authorization_pending'],
      [3_000, 'slow_down'],
      [2_000, 'authorization_pending'],
    ] as const) {
      service().advance(milliseconds)
      assert.deepEqual(refusalOf(await poll(app, device)), [400, error])
    }
  })

  test('A device that has polled while the clock was ahead need not slow down after the correction', async () => {
    const { app } = await open()
    const device = await begin(app)
    for (const milliseconds of [20_000, -20_000]) {
      service().advance(milliseconds)
      assert.deepEqual(refusalOf(await poll(app, device)), [400, 'authorization_pending'])
    }
  })

  test('A poll for a resource that the device did not ask for is refused, and does not use the device code up', async () => {
    const { user, app } = await open()
    const device = await begin(app, { resource: 'https://one.example.com' })
    assert.equal((await approve(user, device)).status, 200)
    const form = { grant_type: GRANT_TYPE, device_code: device.device_code }
    const refused = await askToken(service(), app, { ...form, resource: 'https://other.example.com' })
    assert.deepEqual(refusalOf(refused), [400, 'invalid_target'])
    assert.equal((await poll(app, device)).status, 200)
  })

  test('A poll while a policy asks the user for two steps is refused, and does not use the device code up', async () => {
    const { app } = await open()
    const user = await newMember(service())
    const device = await begin(app)
    assert.equal((await approve(user, device)).status, 200)
    const setRequired = (requireTwoFactor: number) =>
      service()
        .context.database.updateTable('organizations')
        .set({ requireTwoFactor })
        .where('id', '=', user.organization.id)
        .execute()
    await setRequired(1)
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'invalid_grant'])
    await setRequired(0)
    assert.equal((await poll(app, device)).status, 200)
  })

  test('A device that is approved before a step-up gets tokens of one step', async () => {
    const { app } = await open()
    const user = await newMember(service())
    const device = await begin(app)
    assert.equal((await approve(user, device)).status, 200)
    const sessions = service().context.database.updateTable('sessions').where('userId', '=', user.id)
    await sessions.set({ authenticationMethods: 'pwd otp mfa' }).execute()
    const { body } = await poll(app, device)
    for (const token of [body.access_token, body.id_token]) assert.deepEqual(payloadOf(token).amr, ['pwd'])
  })

  test('Of twenty concurrent polls of an approved device, one succeeds', async () => {
    const { user, app } = await open()
    const device = await begin(app)
    await approve(user, device)
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(app, device)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('The user refuses: the device gets access_denied', async () => {
    const { user, app } = await open()
    const device = await begin(app)
    assert.equal((await user.client.post(`${DEVICE}/deny`, { userCode: device.user_code })).status, 200)
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'access_denied'])
    assert.equal((await approve(user, device)).body.code, 'DEVICE_CODE_NOT_FOUND')
  })

  test('Only the user who answered sees the answer, and another user gets 404 DEVICE_CODE_NOT_FOUND', async () => {
    const { founder, user, app } = await open()
    for (const [verb, status] of Object.entries({ approve: 'approved', deny: 'denied' })) {
      const { user_code: userCode } = await begin(app)
      const read = ({ client }: TestMember) => client.get(`${DEVICE}?user_code=${userCode}`)
      assert.equal((await read(founder)).body.status, 'pending')
      assert.equal((await user.client.post(`${DEVICE}/${verb}`, { userCode })).status, 200)
      assert.equal((await read(user)).body.status, status)
      const foreign = await read(founder)
      assert.deepEqual([foreign.status, foreign.body.code], [404, 'DEVICE_CODE_NOT_FOUND'], verb)
    }
  })

  test("After ten minutes the device gets expired_token, and the code can't be approved", async () => {
    const { user, app } = await open()
    const device = await begin(app)
    service().advance(601_000)
    assert.equal((await approve(user, device)).body.code, 'DEVICE_CODE_NOT_FOUND')
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'expired_token'])
  })

  test('Another client gets nothing for the code, and does not end it', async () => {
    const { user, app } = await open()
    const device = await begin(app)
    const other = await createTestApp(service())
    assert.deepEqual(refusalOf(await poll(other, device)), [400, 'invalid_grant'])
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'authorization_pending'])
    await approve(user, device)
    assert.deepEqual(refusalOf(await poll(other, device)), [400, 'invalid_grant'])
    assert.equal((await poll(app, device)).status, 200)
    assert.deepEqual(refusalOf(await poll(app, { ...device, device_code: 'unknown' })), [400, 'invalid_grant'])
  })

  test('device/code refuses a wrong client, scope or resource', async () => {
    const { app } = await open()
    const other = await createTestApp(service(), { grant_types: ['authorization_code'] })
    const ask = (form: Record<string, string>, headers: Record<string, string>) =>
      postForm(service(), `${DEVICE}/code`, form, headers)
    const narrow = await createTestApp(service(), { scope: 'openid' })
    assert.deepEqual(refusalOf(await ask({}, {})), [401, 'invalid_client'])
    assert.deepEqual(refusalOf(await ask({}, basic({ ...app, secret: 'wrong' }))), [401, 'invalid_client'])
    assert.deepEqual(refusalOf(await ask({ scope: 'openid email' }, basic(narrow))), [400, 'invalid_scope'])
    for (const form of [{}, { scope: '' }, { scope: 'admin' }])
      assert.deepEqual(refusalOf(await ask(form as Record<string, string>, basic(app))), [400, 'invalid_scope'])
    assert.deepEqual(refusalOf(await ask({ scope: 'openid', resource: 'api' }, basic(app))), [400, 'invalid_target'])
    assert.deepEqual(refusalOf(await ask({}, basic(other))), [400, 'unauthorized_client'])
  })

  test('A sign-out before the first poll, and after it, ends what the device got', async () => {
    const { founder, app } = await open()
    const user = await member(service(), founder)
    const [polled, waiting] = [await begin(app), await begin(app)]
    await approve(user, polled)
    await approve(user, waiting)
    const { body } = await poll(app, polled)
    await user.client.post('/api/auth/sign-out')
    assert.deepEqual(refusalOf(await poll(app, waiting)), [400, 'invalid_grant'])
    const introspected = await postForm(
      service(),
      '/api/auth/oauth2/introspect',
      { token: body.access_token },
      basic(app),
    )
    assert.deepEqual(introspected.body, { active: false })
  })

  test('The user of several organizations chooses one, and a foreign one is unknown', async () => {
    const { app } = await open()
    const founder = await administratorWithOrganization(service())
    const device = await begin(app)
    assert.equal((await approve(founder, device)).body.code, 'NO_ACTIVE_ORGANIZATION')
    const foreign = await approve((await open()).user, device, { organizationId: founder.organization.id })
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'ORGANIZATION_NOT_FOUND'])
    await approve(founder, device, { organizationId: founder.organization.id })
    const { body } = await poll(app, device)
    assert.equal(payloadOf(body.access_token).org_id, founder.organization.id)
  })

  test('Only a member approves a device of an organization’s client, for this organization, as in an authorization', async () => {
    const { user } = await open()
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const app = await createTestApp(service(), {}, { organizationId, skipConsent: 0 })
    for (const scope of ['openid email', 'openid organization']) {
      const device = await begin(app, { scope })
      for (const more of [{}, { organizationId }, { organizationId: user.organization.id }]) {
        const { status, body } = await approve(user, device, more)
        assert.deepEqual([status, body.code], [404, 'ORGANIZATION_NOT_FOUND'])
      }
      assert.equal((await approve(founder, device)).status, 200)
      const { body } = await poll(app, device)
      const expected = scope.includes('organization') ? organizationId : undefined
      assert.equal(payloadOf(body.access_token).org_id, expected)
    }
  })

  test('The approval of a first-party device stores no consent, and a disabled client gets none', async () => {
    const { user, app } = await open()
    const { database } = service().context
    await approve(user, await begin(app))
    const consents = database.selectFrom('oauthConsents').selectAll().where('clientId', '=', app.id)
    assert.deepEqual(await consents.execute(), [])
    const other = await createTestApp(service())
    const device = await begin(other)
    await database.updateTable('oauthClients').set({ disabled: 1 }).where('id', '=', other.id).execute()
    assert.equal((await approve(user, device)).body.code, 'DEVICE_CODE_NOT_FOUND')
  })

  test('A client that loses the grant type after a device has asked gets no approval, and no session of the user', async () => {
    const { user, founder } = await open()
    const app = await createTestApp(service())
    const device = await begin(app)
    const update = { grant_types: ['authorization_code'] }
    const changed = await founder.client.post('/api/auth/oauth2/update-client', { client_id: app.id, update })
    assert.equal(changed.status, 200)
    assert.equal((await approve(user, device)).body.code, 'DEVICE_CODE_NOT_FOUND')
    const { database } = service().context
    const sessions = database.selectFrom('clientSessions').selectAll().where('clientId', '=', app.id)
    assert.deepEqual(await sessions.execute(), [])
  })

  test('A device gets access to an organization that requires two-step verification only after it', async () => {
    const { app } = await open()
    const user = await newMember(service())
    const { database } = service().context
    const { id } = user.organization
    await database.updateTable('organizations').set({ requireTwoFactor: 1 }).where('id', '=', id).execute()
    assert.equal((await approve(user, await begin(app))).body.code, 'TWO_FACTOR_REQUIRED')
  })

  test('A device that asks for two steps is approved after the second one only', async () => {
    const { user, app } = await open()
    const { database } = service().context
    const acr = { essential: true, values: ['urn:example:other', TWO_STEP] }
    for (const more of [{ acr_values: `other ${TWO_STEP}` }, { claims: JSON.stringify({ id_token: { acr } }) }]) {
      const device = await begin(app, more)
      const refused = await approve(user, device)
      assert.deepEqual([refused.status, refused.body.code], [403, 'TWO_FACTOR_REQUIRED'])
      const secured = await sessionOf(service(), user)
      const methods = { authenticationMethods: 'pwd otp mfa' } as const
      await database.updateTable('sessions').set(methods).where('tokenHash', '=', hashToken(secured.token)).execute()
      assert.equal((await approve(secured, device)).status, 200)
      assert.equal(payloadOf((await poll(app, device)).body.id_token).acr, TWO_STEP)
    }
    const either = await begin(app, { acr_values: `${ONE_STEP} ${TWO_STEP}` })
    assert.equal((await approve(user, either)).status, 200)
  })

  test('A device that names an organization gets this one, from its members only', async () => {
    const { founder, app } = await open()
    const user = await member(service(), founder)
    const other = await administratorWithOrganization(service())
    const named = await begin(app, { organization: other.organization.slug })
    const unknown = await begin(app, { organization: 'no-such-organization' })
    for (const device of [named, unknown])
      for (const more of [{}, { organizationId: user.organization.id }]) {
        const { status, body } = await approve(user, device, more)
        assert.deepEqual([status, body.code], [404, 'ORGANIZATION_NOT_FOUND'])
      }
    await joinOrganization(service(), user, other)
    const { body: page } = await user.client.get(`${DEVICE}?user_code=${named.user_code}`)
    assert.deepEqual([page.organizations.length, page.organizations[0].id], [1, other.organization.id])
    const mismatch = await approve(user, named, { organizationId: user.organization.id })
    assert.equal(mismatch.body.code, 'ORGANIZATION_NOT_FOUND')
    assert.equal((await approve(user, named)).status, 200)
    const { body } = await poll(app, named)
    assert.equal(payloadOf(body.access_token).org_id, other.organization.id)
  })

  test("A device can't ask for a new sign-in, a certain user or a sign-in that the page can't ask for", async () => {
    const { user, app } = await open()
    const { id_token = '' } = await signInTo(user, app)
    const claims = (value: object) => ({ claims: JSON.stringify({ id_token: value }) })
    const ask = (form: Record<string, string>) =>
      postForm(service(), `${DEVICE}/code`, { scope: 'openid', ...form }, basic(app))
    for (const form of [
      { max_age: '60' },
      { max_age: '0' },
      { prompt: 'login' },
      { prompt: 'consent login' },
      { prompt: 'none' },
      { id_token_hint: id_token },
      claims({ sub: { value: user.id } }),
    ])
      assert.deepEqual(refusalOf(await ask(form)), [400, 'invalid_request'], JSON.stringify(form))
    for (const value of [ONE_STEP, 'urn:example:other']) {
      const answer = await ask(claims({ acr: { essential: true, value } }))
      assert.deepEqual(refusalOf(answer), [400, 'unmet_authentication_requirements'])
    }
    for (const form of [
      { prompt: 'consent' },
      { max_age: '', prompt: '', claims: '', acr_values: '' },
      claims({ acr: null, auth_time: null }),
    ])
      assert.equal((await ask(form)).status, 200, JSON.stringify(form))
  })

  test('Only a session of our own pages approves: no other origin, no bearer of an access token', async () => {
    const { user, app } = await open()
    const device = await begin(app)
    const headers = { origin: 'https://evil.example' }
    const foreign = await user.client.post(`${DEVICE}/approve`, { userCode: device.user_code }, { headers })
    assert.equal(foreign.status, 403)
    const { access_token } = await signInTo(user, app)
    for (const more of [{}, { authorization: `Bearer ${access_token}` }]) {
      const body = { userCode: device.user_code }
      const refused = await service().client().post(`${DEVICE}/approve`, body, { headers: more })
      assert.deepEqual([refused.status, refused.body.code], [401, 'UNAUTHORIZED'])
    }
    assert.deepEqual(refusalOf(await poll(app, device)), [400, 'authorization_pending'])
  })
})
