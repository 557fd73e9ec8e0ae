import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { newMember, PASSWORD, signedIn, tokenIn } from '../../../../test/support/users.ts'

const NEW_PASSWORD = 'another fine long password'
const FRESH_MILLISECONDS = 15 * 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachDatabase('change-password', (service) => {
  const isOpen = async (token: string) =>
    (
      await service()
        .client()
        .get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
    ).body !== null

  test('CVE-2026-43911: change-password revokes every session, returns a new token and sends an email', async () => {
    const one = await newMember(service())
    const two = await signedIn(service(), one.email)
    await two.client.post('/api/auth/organization/set-active', { organizationId: one.organization.id })
    const answer = await two.client.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    })
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body.user).toSorted(), [
      'createdAt',
      'email',
      'emailVerified',
      'id',
      'image',
      'name',
      'updatedAt',
    ])
    assert.equal(answer.headers.get('set-auth-token'), answer.body.token)
    assert.deepEqual(
      [await isOpen(one.token), await isOpen(two.token), await isOpen(answer.body.token)],
      [false, false, true],
    )
    const { session } = (await two.client.get('/api/auth/get-session')).body
    assert.equal(session.activeOrganizationId, one.organization.id)
    const [message] = await service().emails(one.email)
    assert.equal(message?.subject, 'Your password was changed')
    assert.match(message?.text ?? '', /network address\s10\./)
    const signIn = (password: string) =>
      service().client().post('/api/auth/sign-in/email', { email: one.email, password })
    assert.equal((await signIn(PASSWORD)).status, 401)
    assert.equal((await signIn(NEW_PASSWORD)).status, 200)
  })

  test('change-password keeps how the session was authenticated', async () => {
    const { client, id } = await newMember(service())
    const { database } = service().context
    let currentPassword = PASSWORD
    for (const authenticationMethods of ['pwd', 'pwd otp mfa'] as const) {
      await database.updateTable('sessions').set({ authenticationMethods }).where('userId', '=', id).execute()
      const newPassword = `${NEW_PASSWORD} for ${authenticationMethods}`
      await client.post('/api/auth/change-password', { currentPassword, newPassword })
      currentPassword = newPassword
      const rows = await database.selectFrom('sessions').selectAll().where('userId', '=', id).execute()
      assert.deepEqual(
        rows.map((row) => row.authenticationMethods),
        [authenticationMethods],
      )
    }
  })

  test('change-password keeps when the session began, and so when it ends', async () => {
    const { client, email, id } = await newMember(service())
    const sessions = service().context.database.selectFrom('sessions').where('userId', '=', id)
    const { createdAt } = await sessions.select('createdAt').executeTakeFirstOrThrow()
    service().advance(6 * DAY)
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    assert.equal((await client.post('/api/auth/change-password', change)).status, 200)
    const rows = await sessions.selectAll().execute()
    assert.deepEqual(
      rows.map((row) => [row.createdAt, row.authenticatedAt >= createdAt + 6 * DAY]),
      [[createdAt, true]],
    )
    const browser = service().client()
    await browser.post('/api/auth/sign-in/email', { email, password: NEW_PASSWORD, rememberMe: false })
    service().advance(DAY - HOUR)
    const back = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD }
    assert.equal((await browser.post('/api/auth/change-password', back)).status, 200)
    assert.notEqual((await browser.get('/api/auth/get-session')).body, null)
    service().advance(HOUR)
    assert.equal((await browser.get('/api/auth/get-session')).body, null)
  })

  test('change-password revokes earlier links to reset the password', async () => {
    const { client, email } = await newMember(service())
    await service().client().post('/api/auth/request-password-reset', { email })
    const token = await tokenIn(service(), email)
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    assert.equal((await client.post('/api/auth/change-password', change)).status, 200)
    const reset = await service().client().post('/api/auth/reset-password', { newPassword: PASSWORD, token })
    assert.deepEqual([reset.status, reset.body.code], [400, 'INVALID_TOKEN'])
  })

  test('change-password refuses a wrong current password and changes nothing', async () => {
    const { client, token } = await newMember(service())
    const answer = await client.post('/api/auth/change-password', {
      currentPassword: 'not this one',
      newPassword: NEW_PASSWORD,
    })
    assert.deepEqual([answer.status, answer.body.code, answer.body.field], [400, 'INVALID_PASSWORD', 'currentPassword'])
    assert.equal(await isOpen(token), true)
  })

  test('change-password refuses a weak new password and names the field', async () => {
    const { client } = await newMember(service())
    const answer = await client.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: 'password1',
    })
    assert.deepEqual([answer.status, answer.body.code, answer.body.field], [400, 'PASSWORD_TOO_COMMON', 'newPassword'])
  })

  test('change-password succeeds once for concurrent requests', async () => {
    const { client } = await newMember(service())
    const tries = Array.from({ length: 10 }, (_, index) =>
      client.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: `${NEW_PASSWORD} ${index}` }),
    )
    const answers = await Promise.all(tries)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('CVE-2026-43914: change-password, verify-password and delete-user share one password budget', async () => {
    const { client, email } = await newMember(service())
    const guess = { password: 'a wrong guess' }
    for (let count = 0; count < 7; count += 1) {
      assert.equal((await client.post('/api/auth/verify-password', guess)).body.code, 'INVALID_PASSWORD')
      assert.equal((await client.post('/api/auth/delete-user', guess)).body.code, 'INVALID_PASSWORD')
      if (count < 6) {
        const change = { currentPassword: guess.password, newPassword: NEW_PASSWORD }
        assert.equal((await client.post('/api/auth/change-password', change)).body.code, 'INVALID_PASSWORD')
      }
    }
    for (const path of ['verify-password', 'delete-user']) {
      assert.equal((await client.post(`/api/auth/${path}`, { password: PASSWORD })).status, 429, path)
    }
    assert.equal((await service().client().post('/api/auth/sign-in/email', { email, password: PASSWORD })).status, 429)
  })

  test('A session is fresh for a time after verify-password, and then no longer', async () => {
    const { client } = await newMember(service())
    const change = () => client.post('/api/auth/change-email', { newEmail: 'new-address@example.com' })
    service().advance(FRESH_MILLISECONDS)
    assert.deepEqual([(await change()).status, (await change()).body.code], [403, 'SESSION_NOT_FRESH'])
    assert.equal((await client.post('/api/auth/verify-password', { password: 'wrong' })).status, 400)
    assert.equal((await change()).status, 403)
    assert.deepEqual((await client.post('/api/auth/verify-password', { password: PASSWORD })).body, { status: true })
    assert.equal((await change()).status, 200)
    service().advance(FRESH_MILLISECONDS)
    assert.equal((await change()).status, 403)
  })
})
