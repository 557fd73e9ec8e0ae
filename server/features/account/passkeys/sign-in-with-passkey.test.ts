import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import {
  addPasskey,
  authenticateOptions,
  refusals,
  registerOptions,
  startNewSession,
  tryToSignIn,
  userWithPasskey,
} from '../../../../test/support/passkeys.ts'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { assertBrowserSession } from '../../../../test/support/session-cookie.ts'
import { member, newMember, signedIn } from '../../../../test/support/users.ts'

const OPTIONS = '/api/auth/passkey/generate-authenticate-options'
const VERIFY = '/api/auth/passkey/verify-authentication'
const MINUTE = 60_000

onEachDatabase('sign-in-with-passkey', (service) => {
  test('sign-in-with-passkey starts a fresh session, in the body, in set-auth-token and as a cookie', async () => {
    const { authenticator, id, email } = await userWithPasskey(service())
    const client = service().client()
    const answer = await tryToSignIn(client, authenticator)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.user.id, id)
    assert.equal(answer.body.user.email, email)
    assert.equal(answer.body.session.userId, id)
    assert.equal(answer.headers.get('set-auth-token'), answer.body.session.token)
    assert.equal(client.cookies.get('session'), answer.body.session.token)
    assert.equal(client.cookies.has('passkey'), false)
    await registerOptions(client)
  })

  test('sign-in-with-passkey works with every algorithm of the options', async () => {
    const user = await newMember(service())
    const { pubKeyCredParams } = await registerOptions(user.client)
    assert.deepEqual(
      pubKeyCredParams,
      [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
    )
    for (const algorithm of [-7, -8, -257] as const) {
      const { authenticator } = await addPasskey(service(), user, { algorithm })
      assert.equal((await tryToSignIn(service().client(), authenticator)).status, 200, String(algorithm))
    }
  })

  test('list-user-passkeys shows the last use of a passkey, at sign-in and at step-up, and the name of its authenticator', async () => {
    const { client, authenticator } = await userWithPasskey(service())
    const list = async () => (await client.get('/api/auth/passkey/list-user-passkeys')).body
    const [unused] = await list()
    assert.deepEqual([unused.lastUsedAt, unused.authenticatorName], [null, null])
    for (const user of [service().client(), client]) {
      service().advance(MINUTE)
      const before = service().context.now()
      assert.equal((await tryToSignIn(user, authenticator)).status, 200)
      assert.ok(Date.parse((await list())[0].lastUsedAt) >= before)
    }
    const aaguid = 'bada5566-a7aa-401f-bd96-45619a55120d'
    const { passkeyId } = await addPasskey(service(), { client, id: '', email: '', token: '' }, { aaguid })
    await client.post('/api/auth/passkey/update-passkey', { id: passkeyId, name: 'At work' })
    const { name, authenticatorName } = (await list())[1]
    assert.deepEqual([name, authenticatorName], ['At work', '1Password'])
  })

  test("The options of sign-in list no passkeys without a session, and the caller's with one", async () => {
    const { client, authenticator, id, email } = await userWithPasskey(service())
    const anonymous = await authenticateOptions(service().client())
    assert.deepEqual(anonymous.allowCredentials, [])
    assert.deepEqual(anonymous.user, { id: '', name: '', displayName: '' })
    assert.equal(Buffer.from(anonymous.challenge, 'base64url').length, 32)
    const own = await authenticateOptions(client)
    assert.deepEqual(own.allowCredentials, [
      { id: authenticator.credentialID, type: 'public-key', transports: ['internal', 'hybrid'] },
    ])
    assert.equal(Buffer.from(own.user.id, 'base64url').toString(), id)
    assert.deepEqual({ ...own.user, id: '' }, { id: '', name: email, displayName: 'Hilda Hire' })
    for (const { rp, rpId, userVerification, authenticatorSelection, extensions } of [anonymous, own]) {
      assert.deepEqual(rp, { id: 'localhost', name: 'Accounts' })
      assert.equal(rpId, 'localhost')
      assert.equal(userVerification, 'required')
      assert.deepEqual(authenticatorSelection, { requireResidentKey: true, userVerification: 'required' })
      assert.deepEqual(extensions, {})
    }
  })

  test('sign-in-with-passkey in a session makes it fresh with the same organization and replaces the token', async () => {
    const { client, authenticator, organization, token } = await userWithPasskey(service())
    service().advance(20 * MINUTE)
    assert.equal((await client.get('/api/auth/passkey/generate-register-options')).body.code, 'SESSION_NOT_FRESH')
    const answer = await tryToSignIn(client, authenticator)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.session.activeOrganizationId, organization.id)
    await registerOptions(client)
    const before = await service()
      .client()
      .get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
    assert.equal(before.body, null)
  })

  test('sign-in-with-passkey leaves a session of rememberMe: false as it is', async () => {
    const { email, authenticator } = await userWithPasskey(service())
    const client = service().client()
    await client.post('/api/auth/sign-in/email', { email, password: 'correct horse battery staple', rememberMe: false })
    const answer = await tryToSignIn(client, authenticator)
    assertBrowserSession(answer)
  })

  test('sign-in-with-passkey for a new session replaces the session of the browser, also that of another user', async () => {
    const user = await userWithPasskey(service())
    const other = await member(service(), user)
    for (const { client, token } of [user, other]) {
      const { status, body } = await startNewSession(client, user.authenticator)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal((await client.get('/api/auth/get-session')).body.user.id, user.id)
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await service().client().get('/api/auth/get-session', { headers })).body, null)
    }
  })

  test('sign-in-with-passkey in the session of a bearer token revokes another session of the user in the cookie', async () => {
    const user = await userWithPasskey(service())
    const browser = await signedIn(service(), user.email)
    const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    const { body: options } = await browser.client.get(OPTIONS, as(user.token))
    const answer = await browser.client.post(VERIFY, { response: user.authenticator.get(options) }, as(user.token))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { token } = answer.body.session
    assert.equal((await service().client().get('/api/auth/get-session', as(token))).body.user.id, user.id)
    assert.equal((await service().client().get('/api/auth/get-session', as(browser.token))).body, null)
  })

  test('The options of sign-in refuse another newSession than true or false', async () => {
    const { status, body } = await service().client().get(`${OPTIONS}?newSession=maybe`)
    assert.deepEqual([status, body.field], [400, 'newSession'])
    assert.match(body.message, /true, false/)
  })

  test('sign-in-with-passkey with rememberMe: false ends with the session of the browser', async () => {
    const { authenticator } = await userWithPasskey(service())
    const answer = await startNewSession(service().client(), authenticator, { rememberMe: false })
    assertBrowserSession(answer)
  })

  test('sign-in-with-passkey refuses a passkey of another user in a session', async () => {
    const { authenticator, id } = await userWithPasskey(service())
    const other = await newMember(service())
    const answer = await tryToSignIn(other.client, authenticator)
    assert.equal(answer.status, 401)
    assert.equal(answer.body.code, 'PASSKEY_OF_ANOTHER_USER')
    assert.equal((await other.client.get('/api/auth/get-session')).body.user.id, other.id)
    assert.deepEqual(await refusals(service(), 'sign-in.failed', id), ['PASSKEY_OF_ANOTHER_USER'])
  })

  test('sign-in-with-passkey refuses a wrong origin, relying party, user verification or type, with the code in the audit log', async () => {
    const { authenticator, id } = await userWithPasskey(service())
    const cases = [
      [{ origin: 'https://evil.example' }, 'PASSKEY_WRONG_ORIGIN'],
      [{ origin: `${service().baseUrl}.evil.example` }, 'PASSKEY_WRONG_ORIGIN'],
      [{ origin: service().baseUrl.toUpperCase() }, 'PASSKEY_WRONG_ORIGIN'],
      [{ crossOrigin: true }, 'PASSKEY_WRONG_ORIGIN'],
      [{ topOrigin: service().baseUrl }, 'PASSKEY_WRONG_ORIGIN'],
      [{ rpId: 'evil.example' }, 'PASSKEY_WRONG_RELYING_PARTY'],
      [{ userVerified: false }, 'USER_VERIFICATION_REQUIRED'],
      [{ userPresent: false }, 'AUTHENTICATION_FAILED'],
      [{ type: 'webauthn.create' }, 'AUTHENTICATION_FAILED'],
      [{ backedUp: true }, 'AUTHENTICATION_FAILED'],
      [{ userHandle: 'dXNyX290aGVy' }, 'AUTHENTICATION_FAILED'],
    ] as const
    for (const [lies, code] of cases) {
      const client = service().client()
      const answer = await tryToSignIn(client, authenticator, lies)
      assert.equal(answer.body.code, code, JSON.stringify(lies))
      assert.equal(client.cookies.has('session'), false)
    }
    assert.deepEqual(await refusals(service(), 'sign-in.failed', id), cases.map(([, code]) => code).sort())
    assert.equal((await tryToSignIn(service().client(), authenticator)).status, 200)
  })

  test('sign-in-with-passkey refuses a counter that does not increase, as in a cloned authenticator', async () => {
    const { authenticator, id } = await userWithPasskey(service())
    assert.equal((await tryToSignIn(service().client(), authenticator, { counter: 10 })).status, 200)
    for (const counter of [10, 9, 0]) {
      const answer = await tryToSignIn(service().client(), authenticator, { counter })
      assert.equal(answer.status, 401)
      assert.equal(answer.body.code, 'PASSKEY_COUNTER_WENT_BACK')
    }
    assert.equal((await tryToSignIn(service().client(), authenticator, { counter: 4_294_967_295 })).status, 200)
    assert.deepEqual(await refusals(service(), 'sign-in.failed', id), Array(3).fill('PASSKEY_COUNTER_WENT_BACK'))
  })

  test('sign-in-with-passkey works repeatedly with an authenticator without a counter', async () => {
    const user = await newMember(service())
    const { authenticator } = await addPasskey(service(), user, { counts: false })
    for (let round = 0; round < 3; round += 1) {
      assert.equal((await tryToSignIn(service().client(), authenticator)).status, 200)
    }
  })

  test('sign-in-with-passkey accepts one of concurrent responses with the same counter, in one process and in two', async () => {
    const { authenticator } = await userWithPasskey(service())
    const beside = await startService({ engine: service().engine, beside: service() })
    beside.advance(service().context.now() - beside.context.now())
    try {
      const services = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? service() : beside))
      const clients = services.map((one) => one.client())
      const options = await Promise.all(clients.map((client) => authenticateOptions(client)))
      const answers = await Promise.all(
        clients.map((client, index) => {
          const origin = services[index]?.baseUrl ?? ''
          return client.post(VERIFY, { response: authenticator.get(options[index], { counter: 50, origin }) })
        }),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(answers.filter(({ body }) => body.code === 'PASSKEY_COUNTER_WENT_BACK').length, 7)
    } finally {
      await beside.stop()
    }
  })

  test('sign-in-with-passkey stores whether the passkey is backed up', async () => {
    const user = await newMember(service())
    const { client, authenticator } = await addPasskey(service(), user, { multiDevice: true })
    const backedUp = async () => (await client.get('/api/auth/passkey/list-user-passkeys')).body[0].backedUp
    assert.equal(await backedUp(), false)
    await tryToSignIn(service().client(), authenticator, { backedUp: true })
    assert.equal(await backedUp(), true)
    await tryToSignIn(service().client(), authenticator)
    assert.equal(await backedUp(), false)
  })

  test('sign-in-with-passkey returns 401 UNKNOWN_PASSKEY for an unknown passkey, and records it', async () => {
    const stranger = createAuthenticator(service().baseUrl)
    const answer = await tryToSignIn(service().client(), stranger)
    assert.equal(answer.status, 401)
    assert.equal(answer.body.code, 'UNKNOWN_PASSKEY')
    await service().context.repeatedEvents.save()
    const last = await service()
      .context.database.selectFrom('auditEvents')
      .selectAll()
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    assert.equal(last.action, 'sign-in.failed')
    assert.deepEqual(JSON.parse(last.details), { method: 'passkey', code: 'UNKNOWN_PASSKEY', count: 1 })
  })

  test('sign-in-with-passkey refuses a banned user', async () => {
    const { authenticator, id } = await userWithPasskey(service())
    await service().context.database.updateTable('users').set({ banned: 1 }).where('id', '=', id).execute()
    const answer = await tryToSignIn(service().client(), authenticator)
    assert.equal(answer.status, 403)
    assert.equal(answer.body.code, 'BANNED_USER')
    for (const action of ['sign-in.failed', 'access.refused'] as const)
      assert.deepEqual(await refusals(service(), action, id), ['BANNED_USER'])
  })

  test('CVE-2025-29928: sign-in-with-passkey refuses the passkey of a deleted user', async () => {
    const { authenticator, id } = await userWithPasskey(service())
    await service().context.database.deleteFrom('users').where('id', '=', id).execute()
    assert.equal((await tryToSignIn(service().client(), authenticator)).body.code, 'UNKNOWN_PASSKEY')
  })

  test('CVE-2026-37982: a challenge of sign-in is usable once, for 5 minutes, in its browser and its ceremony', async () => {
    const { client: session, authenticator, id } = await userWithPasskey(service())
    const browser = service().client()
    const codeOf = async (client: typeof browser, options: unknown) =>
      (await client.post(VERIFY, { response: authenticator.get(options as never) })).body.code

    const options = await authenticateOptions(browser)
    const first = { response: authenticator.get(options) }
    assert.equal((await browser.post(VERIFY, first)).status, 200)
    const replayer = service().client()
    await authenticateOptions(replayer)
    assert.equal((await replayer.post(VERIFY, first)).body.code, 'CHALLENGE_NOT_FOUND')

    assert.equal(
      await codeOf(service().client(), await authenticateOptions(service().client())),
      'CHALLENGE_FROM_ELSEWHERE',
    )
    assert.equal(await codeOf(service().client(), await authenticateOptions(session)), 'CHALLENGE_FROM_ELSEWHERE')
    const otherSession = await signedIn(service(), (await session.get('/api/auth/get-session')).body.user.email)
    assert.equal(await codeOf(otherSession.client, await authenticateOptions(session)), 'CHALLENGE_FROM_ELSEWHERE')
    assert.equal(await codeOf(session, await registerOptions(session)), 'CHALLENGE_NOT_FOUND')
    const madeUp = { ...options, challenge: 'A'.repeat(43) }
    assert.equal(await codeOf(session, madeUp), 'CHALLENGE_NOT_FOUND')

    const late = await authenticateOptions(replayer)
    service().advance(5 * MINUTE + 1)
    assert.equal(await codeOf(replayer, late), 'CHALLENGE_NOT_FOUND')
    const refused = await refusals(service(), 'sign-in.failed', id)
    assert.equal(refused.length, 7)
  })

  test('sign-in-with-passkey consumes the challenge of a refused response', async () => {
    const { authenticator } = await userWithPasskey(service())
    const client = service().client()
    const options = await authenticateOptions(client)
    const wrong = { response: authenticator.get(options, { userVerified: false }) }
    assert.equal((await client.post(VERIFY, wrong)).body.code, 'USER_VERIFICATION_REQUIRED')
    const right = { response: authenticator.get(options) }
    assert.equal((await client.post(VERIFY, right)).body.code, 'CHALLENGE_NOT_FOUND')
  })

  test('sign-in-with-passkey refuses a page of another site, although the browser sends its cookie', async () => {
    const { authenticator } = await userWithPasskey(service())
    const client = service().client()
    const response = authenticator.get(await authenticateOptions(client))
    const answer = await client.post(VERIFY, { response }, { headers: { origin: 'https://evil.example' } })
    assert.equal(answer.status, 403)
    assert.equal(answer.body.code, 'INVALID_ORIGIN')
  })

  test('sign-in-with-passkey works in one tab while another tab gets options', async () => {
    const { authenticator } = await userWithPasskey(service())
    const client = service().client()
    const options = await authenticateOptions(client)
    await authenticateOptions(client)
    assert.equal((await client.post(VERIFY, { response: authenticator.get(options) })).status, 200)
  })

  test('The database has only the hash of a challenge', async () => {
    const client = service().client()
    const { challenge } = await authenticateOptions(client)
    const rows = await service().context.database.selectFrom('singleUseTokens').selectAll().execute()
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(rows).includes(challenge))
    assert.ok(!JSON.stringify(rows).includes(client.cookies.get('passkey') ?? '-'))
  })

  test('sign-in-with-passkey names the part of the response that is missing or wrong', async () => {
    const { authenticator } = await userWithPasskey(service())
    const client = service().client()
    const response = authenticator.get(await authenticateOptions(client))
    for (const [field, broken] of [
      ['response.id', { ...response, id: undefined }],
      ['response.id', { ...response, id: 'not base64url!' }],
      ['response.rawId', { ...response, rawId: 1 }],
      ['response.type', { ...response, type: 'password' }],
      ['response.response', { ...response, response: null }],
      ['response.response.signature', { ...response, response: { ...response.response, signature: '' } }],
      [
        'response.response.clientDataJSON',
        { ...response, response: { ...response.response, clientDataJSON: 'a\u0000' } },
      ],
    ] as const) {
      const answer = await client.post(VERIFY, { response: broken })
      assert.equal(answer.status, 400, field)
      assert.equal(answer.body.field, field)
    }
  })
})
