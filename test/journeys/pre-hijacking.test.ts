import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../support/service.ts'
import { member, newEmail, owner, PASSWORD, signedIn, type TestUser, tokenIn } from '../support/users.ts'

const VICTIMS_PASSWORD = 'only the victim knows this one'

/** An account that an attacker made, or got hold of, before the mailbox's owner came. */
onEachDatabase('Whoever proves the mailbox gets the account for themselves', (service) => {
  const planted = async () => {
    const attacker = await member(service(), await owner(service()))
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
      (await service().client().post('/api/auth/reset-password', { newPassword: VICTIMS_PASSWORD, token })).status,
      200,
    )
    return signedIn(service(), email, VICTIMS_PASSWORD)
  }
  const session = ({ token }: TestUser) =>
    service()
      .client()
      .get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })

  test('GHSA-qq9h-g4jm-xgf3: the password and the sessions that were there before open nothing', async () => {
    const attacker = await planted()
    const second = await signedIn(service(), attacker.email)
    const victim = await recover(attacker)
    for (const before of [attacker, second]) assert.equal((await session(before)).body, null)
    const old = await service().client().post('/api/auth/sign-in/email', { email: attacker.email, password: PASSWORD })
    assert.equal(old.status, 401)
    const { user } = (await victim.client.get('/api/auth/get-session')).body
    assert.equal(user.emailVerified, true)
  })

  test('Sudhodanan & Paverd, unexpired email change: one that was asked for before is dead', async () => {
    const attacker = await planted()
    const attackersAddress = newEmail()
    await attacker.client.post('/api/auth/change-email', { newEmail: attackersAddress })
    const token = await tokenIn(service(), attackersAddress)
    const victim = await recover(attacker)
    assert.equal((await service().client().get(`/api/auth/verify-email?token=${token}`)).body.code, 'INVALID_TOKEN')
    assert.equal((await victim.client.get('/api/auth/get-session')).body.user.email, attacker.email)
  })

  test('Sudhodanan & Paverd, unexpired links: a reset or a deletion that was asked for before is dead', async () => {
    const attacker = await planted()
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

  test('GHSA-qq9h-g4jm-xgf3: so it is when the mailbox is proved by the link to verify it', async () => {
    const attacker = await planted()
    await service().client().post('/api/auth/send-verification-email', { email: attacker.email })
    const token = await tokenIn(service(), attacker.email)
    assert.equal((await service().client().get(`/api/auth/verify-email?token=${token}`)).status, 200)
    assert.equal((await session(attacker)).body, null)
    const old = await service().client().post('/api/auth/sign-in/email', { email: attacker.email, password: PASSWORD })
    assert.equal(old.status, 401)
    const reset = { newPassword: VICTIMS_PASSWORD, token: await tokenIn(service(), attacker.email) }
    assert.equal((await service().client().post('/api/auth/reset-password', reset)).status, 200)
    await signedIn(service(), attacker.email, VICTIMS_PASSWORD)
  })

  test('but whoever is signed in when they prove it stays signed in', async () => {
    const testUser = await planted()
    await testUser.client.post('/api/auth/send-verification-email', { email: testUser.email })
    const token = await tokenIn(service(), testUser.email)
    assert.equal((await testUser.client.get(`/api/auth/verify-email?token=${token}`)).status, 200)
    assert.equal((await testUser.client.get('/api/auth/get-session')).body.user.emailVerified, true)
    await signedIn(service(), testUser.email)
  })
})
