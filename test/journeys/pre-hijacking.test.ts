import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../support/service.ts'
import { newEmail, newMember, PASSWORD, signedIn, type TestUser, tokenIn } from '../support/users.ts'

const VICTIM_PASSWORD = 'only the victim knows this one'

/** An attacker has created or taken over a user with the email address of a victim before the victim arrives. */
onEachDatabase('Account pre-hijacking', (service) => {
  const plantUser = async () => {
    const attacker = await newMember(service())
    await service()
      .context.database.updateTable('users')
      .set({ emailVerified: 0 })
      .where('id', '=', attacker.id)
      .execute()
    return attacker
  }
  const recover = async ({ email }: TestUser) => {
    assert.equal((await service().client().post('/api/auth/request-password-reset', { email })).status, 200)
    const token = await tokenIn(service(), email)
    assert.equal(
      (await service().client().post('/api/auth/reset-password', { newPassword: VICTIM_PASSWORD, token })).status,
      200,
    )
    return signedIn(service(), email, VICTIM_PASSWORD)
  }
  const session = ({ token }: TestUser) =>
    service()
      .client()
      .get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })

  test('GHSA-qq9h-g4jm-xgf3: a password reset by the victim revokes the password and the sessions of the attacker', async () => {
    const attacker = await plantUser()
    const second = await signedIn(service(), attacker.email)
    const victim = await recover(attacker)
    for (const before of [attacker, second]) assert.equal((await session(before)).body, null)
    const old = await service().client().post('/api/auth/sign-in/email', { email: attacker.email, password: PASSWORD })
    assert.equal(old.status, 401)
    const { user } = (await victim.client.get('/api/auth/get-session')).body
    assert.equal(user.emailVerified, true)
  })

  test('Sudhodanan & Paverd, unexpired email change: a password reset by the victim revokes a pending email change', async () => {
    const attacker = await plantUser()
    const attackerEmail = newEmail()
    await attacker.client.post('/api/auth/change-email', { newEmail: attackerEmail })
    const token = await tokenIn(service(), attackerEmail)
    const victim = await recover(attacker)
    assert.equal((await service().client().get(`/api/auth/verify-email?token=${token}`)).body.code, 'INVALID_TOKEN')
    assert.equal((await victim.client.get('/api/auth/get-session')).body.user.email, attacker.email)
  })

  test('Sudhodanan & Paverd, unexpired links: a password reset by the victim revokes pending reset and deletion links', async () => {
    const attacker = await plantUser()
    await attacker.client.post('/api/auth/delete-user')
    const deletion = await tokenIn(service(), attacker.email)
    await service().client().post('/api/auth/request-password-reset', { email: attacker.email })
    const reset = await tokenIn(service(), attacker.email)
    const victim = await recover(attacker)
    assert.equal(
      (await service().client().get(`/api/auth/delete-user/callback?token=${deletion}`)).body.code,
      'INVALID_TOKEN',
    )
    const again = await service().client().post('/api/auth/reset-password', { newPassword: PASSWORD, token: reset })
    assert.equal(again.body.code, 'INVALID_TOKEN')
    assert.notEqual((await session(victim)).body, null)
  })

  test('GHSA-qq9h-g4jm-xgf3: verify-email by the victim revokes the password and the sessions of the attacker', async () => {
    const other = await newMember(service())
    // The browser of the victim may be signed in as another user.
    for (const browser of [service().client(), other.client]) {
      const attacker = await plantUser()
      await service().client().post('/api/auth/send-verification-email', { email: attacker.email })
      const token = await tokenIn(service(), attacker.email)
      assert.equal((await browser.get(`/api/auth/verify-email?token=${token}`)).status, 200)
      assert.equal((await session(attacker)).body, null)
      const old = await service()
        .client()
        .post('/api/auth/sign-in/email', { email: attacker.email, password: PASSWORD })
      assert.equal(old.status, 401)
      const reset = { newPassword: VICTIM_PASSWORD, token: await tokenIn(service(), attacker.email) }
      assert.equal((await service().client().post('/api/auth/reset-password', reset)).status, 200)
      await signedIn(service(), attacker.email, VICTIM_PASSWORD)
    }
  })

  test('verify-email keeps the session and the password of a user who opens the link while signed in', async () => {
    const testUser = await plantUser()
    await testUser.client.post('/api/auth/send-verification-email', { email: testUser.email })
    const token = await tokenIn(service(), testUser.email)
    assert.equal((await testUser.client.get(`/api/auth/verify-email?token=${token}`)).status, 200)
    assert.equal((await testUser.client.get('/api/auth/get-session')).body.user.emailVerified, true)
    await signedIn(service(), testUser.email)
  })
})
