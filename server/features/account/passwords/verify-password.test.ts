import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { addPasskey, authenticateOptions } from '../../../../test/support/passkeys.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { assertBrowserSession } from '../../../../test/support/session-cookie.ts'
import { administrator, newMember, PASSWORD, signedIn } from '../../../../test/support/users.ts'
import { lockSessionForUpdate } from '../../../core/sessions/store.ts'

const VERIFY = '/api/auth/verify-password'
const SESSION = '/api/auth/get-session'
const MINUTE = 60_000

onEachDatabase('verify-password', (service) => {
  const getSecond = secondProcess(service)
  const isFresh = async (token: string) => {
    const { status } = await bearerClient(service(), { token }).get('/api/auth/passkey/generate-register-options')
    return status === 200
  }

  test('verify-password replaces the token, in the header and the cookie, and every process refuses the old token', async () => {
    const { client, token: stolen } = await newMember(service())
    const second = await getSecond()
    const { session: before } = (await bearerClient(second, { token: stolen }).get(SESSION)).body
    service().advance(20 * MINUTE)
    second.advance(20 * MINUTE)

    const answer = await client.post(VERIFY, { password: PASSWORD })
    assert.deepEqual([answer.status, answer.body], [200, { status: true }])
    const token = answer.headers.get('set-auth-token') ?? ''
    assert.equal(client.cookies.get('session'), token)
    assert.notEqual(token, stolen)
    for (const process of [service(), second]) {
      assert.equal((await bearerClient(process, { token: stolen }).get(SESSION)).body, null)
      assert.equal((await bearerClient(process, { token: stolen }).get('/api/auth/list-sessions')).status, 401)
      const { session } = (await bearerClient(process, { token }).get(SESSION)).body
      assert.deepEqual({ ...session, token: stolen }, before)
    }
    assert.equal(await isFresh(token), true)
  })

  test('verify-password with a wrong password replaces no token and makes no session fresh', async () => {
    const { client, token } = await newMember(service())
    service().advance(20 * MINUTE)
    const answer = await client.post(VERIFY, { password: 'a wrong guess' })
    assert.deepEqual([answer.status, answer.headers.get('set-auth-token')], [400, null])
    assert.equal(client.cookies.get('session'), token)
    assert.equal(await isFresh(token), false)
  })

  test('verify-password replaces the token once for concurrent requests, in two processes', async () => {
    const { token } = await newMember(service())
    const second = await getSecond()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        bearerClient(index % 2 ? second : service(), { token }).post(VERIFY, { password: PASSWORD }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status } of answers) assert.ok([200, 401].includes(status), String(status))
  })

  test('verify-password returns 401 when the session is revoked while the password is verified', async () => {
    const { client, id } = await newMember(service())
    const { database } = service().context
    const { id: sessionId } = (await client.get(SESSION)).body.session
    const revoking: ConcurrentStep = {
      begin: (transaction) => lockSessionForUpdate(transaction, sessionId),
      finish: (transaction) => transaction.deleteFrom('sessions').where('id', '=', sessionId).execute(),
    }
    const answer = await concurrently(service(), revoking, () => client.post(VERIFY, { password: PASSWORD }))
    assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'])
    assert.deepEqual(await database.selectFrom('sessions').select('id').where('userId', '=', id).execute(), [])
  })

  test('verify-password sets a cookie for the browser session in a session of rememberMe: false', async () => {
    const { email } = await newMember(service())
    const client = service().client()
    await client.post('/api/auth/sign-in/email', { email, password: PASSWORD, rememberMe: false })
    const answer = await client.post(VERIFY, { password: PASSWORD })
    assertBrowserSession(answer)
  })

  test('verify-password revokes the sessions in which staff impersonate from this session, because they contain the old token', async () => {
    const { email } = await administrator(service())
    const admin = await signedIn(service(), email)
    const { id: userId } = await newMember(service())
    const acting = await bearerClient(service(), admin).post('/api/auth/admin/impersonate-user', { userId })
    assert.equal(acting.status, 200)
    assert.equal((await bearerClient(service(), admin).post(VERIFY, { password: PASSWORD })).status, 200)
    const after = await bearerClient(service(), { token: acting.body.session.token }).get(SESSION)
    assert.equal(after.body, null)
  })

  test('verify-password is recorded in the audit log', async () => {
    const { client, id } = await newMember(service())
    await client.post(VERIFY, { password: PASSWORD })
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('actorId')
      .where('action', '=', 'session.refreshed')
      .where('subjectId', '=', id)
      .execute()
    assert.deepEqual(
      events.map(({ actorId }) => actorId),
      [id],
    )
  })

  test('verify-authentication replaces the token of a client without cookies', async () => {
    const { authenticator, client, token: stolen } = await addPasskey(service(), await newMember(service()))
    const response = authenticator.get(await authenticateOptions(client))
    const answer = await bearerClient(service(), { token: stolen }).post('/api/auth/passkey/verify-authentication', {
      response,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal((await bearerClient(service(), { token: stolen }).get(SESSION)).body, null)
    assert.equal(await isFresh(answer.body.session.token), true)
  })

  test('verify-authentication revokes another session in the cookie', async () => {
    const { authenticator, email, token } = await addPasskey(service(), await newMember(service()))
    const { client, token: inCookie } = await signedIn(service(), email)
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    const options = await client.get('/api/auth/passkey/generate-authenticate-options', bearer)
    const response = authenticator.get(options.body)
    const answer = await client.post('/api/auth/passkey/verify-authentication', { response }, bearer)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    for (const old of [token, inCookie])
      assert.equal((await bearerClient(service(), { token: old }).get(SESSION)).body, null)
  })
})
