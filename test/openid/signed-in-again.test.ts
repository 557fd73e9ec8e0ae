import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { deleteExpiredGrants } from '../../server/core/client-sessions/grant-store.ts'
import { deleteExpiredSessions } from '../../server/core/sessions/store.ts'
import { createLogOutDelivery } from '../../server/features/openid/log-outs/delivery.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { createGuardedFetch } from '../../server/platform/http/guarded-fetch.ts'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import type { Client } from '../support/client.ts'
import { findSessionOf } from '../support/client-sessions.ts'
import { type LogOutReceiver, startLogOutReceiver } from '../support/log-out-receiver.ts'
import { authorizationRequest, codeIn, createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { addPasskey, startNewSession } from '../support/passkeys.ts'
import { askToken, codeForm, interactionIn, newCodeForm } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { afterStatement } from '../support/statements.ts'
import { askUserinfo, exchange, introspect, refresh } from '../support/token-requests.ts'
import { enableTotp, firstStep } from '../support/two-step.ts'
import { administrator, newMember, PASSWORD, sessionOf, type TestMember, type TestUser } from '../support/users.ts'

const AUTH = '/api/auth'
const VERIFY = `${AUTH}/two-factor/verify-totp`

onEachDatabase('A further sign-in in a browser that is signed in', (service) => {
  let receiver: LogOutReceiver
  let app: TestApp
  let other: TestApp
  before(async () => {
    receiver = await startLogOutReceiver()
    app = await createTestApp(service(), { backchannel_logout_uri: receiver.uri })
    other = await createTestApp(service(), { backchannel_logout_uri: receiver.uri })
  })
  after(() => receiver?.close())
  // The sessions of former tests expire when a test moves the clock, and their log-outs would count as those of the test.
  beforeEach(async () => {
    await database().deleteFrom('clientSessions').execute()
    await database().deleteFrom('oauthLogouts').execute()
  })

  const database = () => service().context.database

  /** A user who is signed in to both apps for ten minutes. */
  async function openScene<User extends TestUser>(user: User) {
    const tokens = await signInTo(user, app)
    const { sid, auth_time } = payloadOf(tokens.id_token ?? '')
    const { sid: otherSid } = payloadOf((await signInTo(user, other)).id_token ?? '')
    service().advance(600_000)
    return { user, tokens, sid, otherSid, signedInAt: auth_time }
  }

  /** Delivers the log-outs that are due. @returns the `sid` of each, in alphabetical order */
  async function deliver() {
    const count = receiver.requests.length
    const { context } = service()
    const sender = { signingKeys: createSigningKeys(context), fetch: createGuardedFetch(context.config) }
    const delivery = createLogOutDelivery(context, sender)
    await delivery.deliverDue()
    await delivery.stop()
    return receiver.sids().slice(count).sort()
  }

  const findClientSession = (sid: string) =>
    database().selectFrom('clientSessions').select('sid').where('sid', '=', sid).executeTakeFirst()
  const isAlive = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await service().client().get(`${AUTH}/get-session`, { headers })).body !== null
  }
  const signIn = async (client: Client, email: string) => assert.equal((await firstStep(client, email)).status, 200)

  type Way = (user: TestMember) => Promise<() => Promise<void>>
  /** Each prepares the user, and returns the sign-in. */
  const ways: Record<string, Way> = {
    'a password':
      async ({ client, email }) =>
      () =>
        signIn(client, email),
    async 'a password and a code'(user) {
      const { codeAt } = await enableTotp(service(), user)
      return async () => {
        assert.equal((await firstStep(user.client, user.email)).body.twoFactorRedirect, true)
        const answer = await user.client.post(VERIFY, { code: codeAt(service().context.now()) })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      }
    },
    async 'a passkey'(user) {
      const { client, authenticator } = await addPasskey(service(), user)
      return async () => assert.equal((await startNewSession(client, authenticator)).status, 200)
    },
  }
  const requests = [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '60' }]

  for (const [way, prepare] of Object.entries(ways))
    test(`A sign-in with ${way} that an app asks for logs the user out of no app`, async () => {
      const user = await newMember(service())
      const signInAgain = await prepare(user)
      const { sid, otherSid, signedInAt, tokens } = await openScene(user)
      let refreshToken = tokens.refresh_token ?? ''
      for (const parameters of requests) {
        const formerToken = user.client.cookies.get('session') ?? ''
        const request = await authorizationRequest(other, parameters)
        const { resumePath } = interactionIn(await user.client.get(request.path), '/sign-in')
        await signInAgain()
        const form = codeForm(codeIn(await user.client.get(resumePath)), request.codeVerifier)
        const again = payloadOf((await askToken(service(), other, form)).body.id_token)
        assert.equal(again.sid, otherSid)
        assert.ok(Number(again.auth_time) > Number(signedInAt))
        assert.equal(await isAlive(formerToken), false)

        const { body } = await refresh(service(), app, refreshToken)
        for (const claims of [payloadOf(body.id_token), payloadOf(body.access_token)])
          assert.deepEqual([claims.sid, claims.auth_time], [sid, signedInAt])
        refreshToken = body.refresh_token
        assert.deepEqual(await deliver(), [])
        service().advance(600_000)
      }
      assert.equal((await user.client.post(`${AUTH}/sign-out`)).status, 200)
      assert.deepEqual(await deliver(), [sid, otherSid].sort())
      assert.equal((await refresh(service(), app, refreshToken)).body.error, 'invalid_grant')
    })

  for (const [state, milliseconds] of [
    ['is new', 0],
    ['is due for an extension five minutes later', DAY_MILLISECONDS - 900_000],
  ] as const)
    test(`A user who leaves at the second step, and whose session ${state}, is logged out of the apps after ten minutes`, async () => {
      const { user, tokens, sid, otherSid } = await openScene(await newMember(service()))
      await enableTotp(service(), user)
      service().advance(milliseconds)
      assert.equal((await firstStep(user.client, user.email)).body.twoFactorRedirect, true)
      service().advance(360_000)
      const { body } = await refresh(service(), app, tokens.refresh_token ?? '')
      assert.ok(body.refresh_token)
      assert.deepEqual(await deliver(), [])
      service().advance(240_000)
      assert.equal((await refresh(service(), app, body.refresh_token)).body.error, 'invalid_grant')
      await deleteExpiredSessions(database(), service().context.now(), 1_000)
      assert.deepEqual(await deliver(), [sid, otherSid].sort())
    })

  /** Each follows a first step in the browser of the user. */
  const afterFirstStep: Record<string, Way> = {
    async 'a code after the password was entered twice'(user) {
      const { codeAt } = await enableTotp(service(), user)
      return async () => {
        await firstStep(user.client, user.email)
        assert.equal((await user.client.post(VERIFY, { code: codeAt(service().context.now()) })).status, 200)
      }
    },
    async 'a passkey after the password'(user) {
      await enableTotp(service(), user)
      const { client, authenticator } = await addPasskey(service(), user)
      return async () => assert.equal((await startNewSession(client, authenticator)).status, 200)
    },
  }
  for (const [way, prepare] of Object.entries(afterFirstStep))
    test(`A sign-in by ${way} logs the user out of no app`, async () => {
      const user = await newMember(service())
      const finish = await prepare(user)
      const { tokens } = await openScene(user)
      await firstStep(user.client, user.email)
      await finish()
      service().advance(600_000)
      await deleteExpiredSessions(database(), service().context.now(), 1_000)
      assert.deepEqual(await deliver(), [])
      assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).status, 200)
    })

  test('A sign-in for 30 days in a session of one day logs the user out of the apps', async () => {
    const member = await newMember(service())
    const client = service().client()
    const signInFor = async (rememberMe: boolean) => {
      const { body } = await client.post(`${AUTH}/sign-in/email`, {
        email: member.email,
        password: PASSWORD,
        rememberMe,
      })
      return String(body.token)
    }
    const token = await signInFor(false)
    const { tokens } = await openScene({ ...member, client, token })
    await signInFor(false)
    const { body } = await refresh(service(), app, tokens.refresh_token ?? '')
    assert.ok(body.refresh_token)
    assert.deepEqual(await deliver(), [])
    await signInFor(true)
    assert.equal((await refresh(service(), app, body.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await deliver()).length, 2)
  })

  test('"Sign out everywhere else" also ends what a copy of the former session got', async () => {
    const { user, tokens, sid, otherSid } = await openScene(await newMember(service()))
    await signIn(user.client, user.email)
    const own = payloadOf((await signInTo(user, await createTestApp(service()))).access_token)
    assert.equal((await user.client.post(`${AUTH}/revoke-other-sessions`)).status, 200)
    assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).body.error, 'invalid_grant')
    assert.deepEqual(await deliver(), [sid, otherSid].sort())
    assert.ok(await findClientSession(String(own.sid)))
  })

  const endOthers = async ({ client }: TestUser) =>
    assert.equal((await client.post(`${AUTH}/revoke-other-sessions`)).status, 200)

  test('"Sign out everywhere else" ends what a copy of the former session got at a process whose clock is ahead', async () => {
    const user = await newMember(service())
    service().advance(20_000)
    const tokens = await signInTo(user, app)
    service().advance(-20_000)
    await signIn(user.client, user.email)
    await endOthers(user)
    assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).body.error, 'invalid_grant')
  })

  test('"Sign out everywhere else" leaves the apps of the session signed in, also if it began at a process whose clock is ahead', async () => {
    const user = await newMember(service())
    service().advance(20_000)
    await signIn(user.client, user.email)
    service().advance(-20_000)
    const tokens = await signInTo(user, app)
    await endOthers(user)
    assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).status, 200)
  })

  test('"Sign out everywhere else" ends what a copy of the former session got at a process of the previous version', async () => {
    const setOf = (user: TestUser, change: { firstSessionId?: null; createdAt?: number }) =>
      database().updateTable('clientSessions').set(change).where('userId', '=', user.id).execute()

    const moved = await openScene(await newMember(service()))
    await setOf(moved.user, { firstSessionId: null })
    await signIn(moved.user.client, moved.user.email)
    // As if the clock had been ahead.
    await setOf(moved.user, { createdAt: service().context.now() + 1 })

    const movedThere = await openScene(await newMember(service()))
    await signIn(movedThere.user.client, movedThere.user.email)
    await setOf(movedThere.user, { firstSessionId: null })

    const own = await openScene(await newMember(service()))
    await setOf(own.user, { firstSessionId: null })

    for (const { user, tokens } of [moved, movedThere, own]) {
      await endOthers(user)
      const { status } = await refresh(service(), app, tokens.refresh_token ?? '')
      assert.equal(status, user === own.user ? 200 : 400)
    }
  })

  test('The sign-in of another user logs the former one out of each app, also the first step alone', async () => {
    const [next, withCode] = [await newMember(service()), await newMember(service())]
    await enableTotp(service(), withCode)
    for (const { email } of [next, withCode]) {
      const { user, tokens, sid, otherSid } = await openScene(await newMember(service()))
      await signIn(user.client, email)
      assert.equal(await isAlive(user.token), false)
      assert.deepEqual(await deliver(), [sid, otherSid].sort())
      assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).body.error, 'invalid_grant')
    }
  })

  test('A session that has expired, or in which staff impersonated the user, ends at the apps', async () => {
    const expired = await openScene(await newMember(service()))
    const ofUser = database().updateTable('sessions').where('userId', '=', expired.user.id)
    await ofUser.set({ expiresAt: service().context.now() }).execute()

    const admin = await administrator(service())
    const { id, email } = await newMember(service())
    await admin.client.post(`${AUTH}/admin/impersonate-user`, { userId: id, reason: 'ticket 4711' })
    const impersonated = await openScene({ ...admin, id, email })
    await admin.client.get(`${AUTH}/get-session`)
    await database().updateTable('users').set({ role: 'user' }).where('id', '=', admin.id).execute()
    try {
      for (const { user, sid, otherSid, tokens } of [expired, impersonated]) {
        await signIn(user.client, user.email)
        assert.deepEqual(await deliver(), [sid, otherSid].sort())
        assert.deepEqual((await introspect(service(), app, tokens.access_token)).body, { active: false })
      }
    } finally {
      await database().updateTable('users').set({ role: 'admin' }).where('id', '=', admin.id).execute()
    }
  })

  test('CVE-2024-28197: a planted session of the user is ended, and raises none of its tokens by the sign-in', async () => {
    const victim = await newMember(service())
    const { authenticator } = await addPasskey(service(), victim)
    const planted = await sessionOf(service(), victim)
    const { tokens, signedInAt } = await openScene(planted)
    const older = await signInTo(planted, app)
    const ofOlderVersion = { authenticationMethods: null, signedInAt: null }
    const olderGrant = String(payloadOf(older.access_token).jti).split('.')[0] ?? ''
    await database().updateTable('oauthGrants').set(ofOlderVersion).where('id', '=', olderGrant).execute()

    const browser = service().client()
    browser.cookies.set('session', planted.token)
    assert.equal((await startNewSession(browser, authenticator)).status, 200)
    assert.equal(await isAlive(planted.token), false)
    assert.notEqual(browser.cookies.get('session'), planted.token)

    const assertFormer = (token: string) => {
      const { amr, auth_time } = payloadOf(token)
      assert.deepEqual([amr, auth_time], [['pwd'], signedInAt])
    }
    for (const { refresh_token = '' } of [tokens, older]) {
      const { body } = await refresh(service(), app, refresh_token)
      const exchanged = (await exchange(service(), app, body.access_token)).body.access_token
      const again = (await exchange(service(), app, exchanged)).body.access_token
      for (const token of [body.id_token, body.access_token, exchanged, again]) assertFormer(token)
      for (const token of [body.access_token, again]) {
        const { amr, auth_time } = (await askUserinfo(service(), token)).body
        assert.deepEqual([amr, auth_time], [['pwd'], signedInAt])
      }
    }
  })

  test('Tokens end 30 days after their own sign-in, and the app is logged out after a later removal, too', async () => {
    const { user, tokens, sid } = await openScene(await newMember(service()))
    let { refresh_token: refreshToken = '' } = tokens
    const refreshAfter = async (days: number) => {
      service().advance(days * DAY_MILLISECONDS)
      const { body } = await refresh(service(), app, refreshToken)
      refreshToken = body.refresh_token
      return body
    }
    for (let days = 0; days < 25; days += 5) assert.ok((await refreshAfter(5)).access_token)
    await signIn(user.client, user.email)
    assert.ok((await refreshAfter(4)).access_token)
    assert.equal((await refreshAfter(1)).error, 'invalid_grant')
    await deleteExpiredGrants(database(), service().context.now(), 1_000)
    assert.deepEqual(await deliver(), [])

    const next = await askToken(service(), other, await newCodeForm(user, other))
    assert.ok(next.body.refresh_token)
    const memberships = database().deleteFrom('members').where('userId', '=', user.id)
    await memberships.where('organizationId', '=', user.organization.id).execute()
    assert.ok((await deliver()).includes(sid))
  })

  test('A sign-in that replaces the oldest session of a user with the maximum of sessions ends no other', async () => {
    const { user, tokens } = await openScene(await newMember(service()))
    const second = await sessionOf(service(), user)
    const { config } = service()
    const { sessionsPerUser } = config
    Object.assign(config, { sessionsPerUser: 2 })
    try {
      await signIn(user.client, user.email)
    } finally {
      Object.assign(config, { sessionsPerUser })
    }
    assert.deepEqual([await isAlive(user.token), await isAlive(second.token)], [false, true])
    assert.equal((await refresh(service(), app, tokens.refresh_token ?? '')).status, 200)
    assert.deepEqual(await deliver(), [])
  })

  test('A refresh that has read the former session before the sign-in ends it is answered', async (t) => {
    const { user, tokens } = await openScene(await newMember(service()))
    const race = { matching: /from "oauthGrants" inner join/, step: () => signIn(user.client, user.email) }
    const { status, body } = await afterStatement(t, service(), race, () =>
      refresh(service(), app, tokens.refresh_token ?? ''),
    )
    assert.equal(status, 200, JSON.stringify(body))
  })

  test('A code in a session is a step-up, whatever sign-in of another user the cookie names', async () => {
    const [user, stranger] = [await newMember(service()), await newMember(service())]
    const [own, foreign] = [await enableTotp(service(), user), await enableTotp(service(), stranger)]
    const { id } = await findSessionOf(service(), user)
    const { twoFactorToken } = (await firstStep(service().client(), stranger.email)).body
    const verify = async (code: string) => (await user.client.post(VERIFY, { code })).body
    user.client.cookies.set('two-factor', twoFactorToken)
    assert.equal((await verify(foreign.codeAt(service().context.now()))).code, 'INVALID_CODE')
    const stepUp = await verify(own.codeAt(service().context.now()))
    assert.equal((await findSessionOf(service(), stepUp)).id, id)
  })

  test('A sign-in with fewer steps lowers the tokens of the apps, so that a policy can refuse them', async () => {
    const user = await newMember(service())
    const sessions = database().updateTable('sessions').where('userId', '=', user.id)
    await sessions.set({ authenticationMethods: 'pwd otp mfa' }).execute()
    const { tokens } = await openScene(user)
    await signIn(user.client, user.email)
    const { body } = await refresh(service(), app, tokens.refresh_token ?? '')
    assert.deepEqual(payloadOf(body.access_token).amr, ['pwd'])
  })
})
