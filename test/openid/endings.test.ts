import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceRole } from '../../server/platform/database/tables.ts'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { CLIENT_ENDS, type EndScene, newEndScene, SESSION_ENDS } from '../support/endings.ts'
import { createTestApp, payloadOf, type TestApp } from '../support/openid.ts'
import { askToken, basic, newCodeForm, postForm } from '../support/protocol.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase } from '../support/service.ts'
import { askUserinfo, exchange, introspect, refresh } from '../support/token-requests.ts'
import { administrator, administratorWithOrganization, member, newMember, type TestMember } from '../support/users.ts'

const AUTH = '/api/auth'

onEachDatabase('Endings', (service) => {
  const second = secondProcess(service)

  /** Everything that a client can get from a session. */
  async function givenTokens(user: TestMember, app: TestApp) {
    const code = await newCodeForm(user, app)
    const { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
    const { body: device } = await postForm(
      service(),
      `${AUTH}/device/code`,
      { scope: 'openid organization offline_access' },
      basic(app),
    )
    const approved = await user.client.post(`${AUTH}/device/approve`, { userCode: device.user_code })
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
    const poll = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code }
    return { code, tokens, poll }
  }

  async function assertEnded(name: string, { user, app }: EndScene, given: Awaited<ReturnType<typeof givenTokens>>) {
    const { code, tokens, poll } = given
    const { slug } = user.organization
    const answers = {
      code: await askToken(service(), app, code),
      refresh: await refresh(service(), app, tokens.refresh_token),
      device: await askToken(service(), app, poll),
      'exchange of the access token': await exchange(service(), app, tokens.access_token),
      ...(name in SESSION_ENDS && {
        'exchange of the session': await exchange(service(), app, user.token, { organization: slug }),
      }),
    }
    const hasClient = name in SESSION_ENDS || name === 'oauth2/revoke-app'
    for (const [what, { body }] of Object.entries(answers)) {
      const ofSubject = what.startsWith('exchange') ? 'invalid_request' : 'invalid_grant'
      assert.equal(
        body.error,
        hasClient ? ofSubject : 'invalid_client',
        `${what} after ${name}: ${JSON.stringify(body)}`,
      )
    }
    if (name === 'oauth2/client/rotate-secret') return
    assert.equal((await askUserinfo(service(), tokens.access_token)).status, 401, `userinfo after ${name}`)
    const other = await createTestApp(service())
    assert.deepEqual((await introspect(service(), other, tokens.access_token)).body, { active: false }, name)
  }

  const given = async (app: TestApp) => newEndScene(service(), await second(), app)

  test('Every end in another process immediately ends code, refresh, device code, exchange, userinfo and introspection', async () => {
    const shared = await createTestApp(service())
    for (const [name, end] of Object.entries({ ...SESSION_ENDS, ...CLIENT_ENDS })) {
      const scene = await given(name in SESSION_ENDS ? shared : await createTestApp(service()))
      const tokens = await givenTokens(scene.user, scene.app)
      const answer = await end(scene)
      assert.ok(!answer || answer.status === 200, `${name}: ${JSON.stringify(answer)}`)
      await assertEnded(name, scene, tokens)
    }
  })

  test('A policy of the service ends tokens of sessions without a second step', async () => {
    const scene = await given(await createTestApp(service()))
    const tokens = await givenTokens(scene.user, scene.app)
    Object.assign(service().config, { requireTwoFactor: 'all' })
    try {
      await assertEnded('sign-out', scene, tokens)
    } finally {
      Object.assign(service().config, { requireTwoFactor: 'none' })
    }
  })

  test('The end of a ban does not bring ended tokens back', async () => {
    const scene = await given(await createTestApp(service()))
    const { user, boss, app, as } = scene
    const tokens = await givenTokens(user, app)
    await as(boss).post(`${AUTH}/admin/ban-user`, { userId: user.id })
    await as(boss).post(`${AUTH}/admin/unban-user`, { userId: user.id })
    await assertEnded('sign-out', scene, tokens)
  })

  test('A client that was disabled and enabled again gets no ended token back, and its users are signed out there', async () => {
    const app = await createTestApp(service(), { backchannel_logout_uri: 'https://app.example.com/logout' })
    const { boss, user } = await given(app)
    const { tokens } = await givenTokens(user, app)
    const update = (disabled: boolean) =>
      boss.client.post(`${AUTH}/oauth2/update-client`, { client_id: app.id, update: { disabled } })
    for (const disabled of [true, false]) assert.equal((await update(disabled)).status, 200)
    assert.equal((await refresh(service(), app, tokens.refresh_token)).body.error, 'invalid_grant')
    const logOuts = service().context.database.selectFrom('oauthLogouts').select('userId')
    const rows = await logOuts.where('clientId', '=', app.id).execute()
    assert.deepEqual(
      rows.map(({ userId }) => userId),
      [user.id],
    )
  })

  test('The tokens of a refresh have the current role, and a second process notices the demotion', async () => {
    const { user, boss, app, as } = await given(await createTestApp(service()))
    const { database } = service().context
    await database.updateTable('members').set({ role: 'admin' }).where('userId', '=', user.id).execute()
    const { body: first } = await askToken(service(), app, await newCodeForm(user, app))
    assert.equal(payloadOf(first.access_token).org_role, 'admin')
    const { id: memberId } = await database
      .selectFrom('members')
      .select('id')
      .where('userId', '=', user.id)
      .executeTakeFirstOrThrow()
    const organizationId = boss.organization.id
    const role = { memberId, role: 'member', organizationId }
    assert.equal((await as(boss).post(`${AUTH}/organization/update-member-role`, role)).status, 200)
    const { body: refreshed } = await refresh(service(), app, first.refresh_token)
    assert.equal(payloadOf(refreshed.access_token).org_role, 'member')
    assert.equal((await askUserinfo(service(), first.access_token)).body.org_role, 'member')
  })

  test('Tokens of an impersonated session name the impersonator, and end when the impersonator loses the role', async () => {
    const boss = await administratorWithOrganization(service())
    const user = await member(service(), boss)
    const staff = await administrator(service())
    const impersonating = await staff.client.post(`${AUTH}/admin/impersonate-user`, { userId: user.id })
    assert.equal(impersonating.status, 200, JSON.stringify(impersonating.body))
    const app = await createTestApp(service())
    const asUser = { ...user, client: staff.client }
    const code = await newCodeForm(asUser, app)
    const { body: tokens } = await askToken(service(), app, await newCodeForm(asUser, app))
    assert.equal(tokens.refresh_token, undefined)
    const { act } = payloadOf(tokens.access_token)
    assert.deepEqual([act, payloadOf(tokens.id_token).act], [{ sub: staff.id }, { sub: staff.id }])
    const { body: exchanged } = await exchange(service(), app, tokens.access_token)
    assert.deepEqual(payloadOf(exchanged.access_token).act, { sub: app.id, act })
    const setRole = async (role: ServiceRole) =>
      service().context.database.updateTable('users').set({ role }).where('id', '=', staff.id).execute()
    await setRole('user')
    try {
      assert.equal((await askToken(service(), app, code)).body.error, 'invalid_grant')
      for (const token of [tokens.access_token, exchanged.access_token])
        assert.deepEqual((await introspect(service(), app, token)).body, { active: false })
    } finally {
      await setRole('admin')
    }
  })

  test('A refresh token ends when the session reaches its absolute age, however often it was refreshed', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    let { body: tokens } = await askToken(service(), app, await newCodeForm(user, app))
    let days = 0
    for (; tokens.refresh_token !== undefined && days < 40; days += 3) {
      service().advance(3 * DAY_MILLISECONDS)
      tokens = (await refresh(service(), app, tokens.refresh_token)).body
    }
    assert.equal(tokens.error, 'invalid_grant')
    assert.ok(days > 7 && days <= 33, `after ${days} days`)
  })
})
