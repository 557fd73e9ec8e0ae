import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { administrator, newEmail, type TestUser, tokenIn } from '../../../../test/support/users.ts'

onEachDatabase('links/describe', (service) => {
  const newUser = async () => userWithRole(service(), await administrator(service()))
  const describeLink = async (token: string) => {
    const { status, body } = await service().client().post('/api/links/describe', { token })
    return status === 200 ? body : body.code
  }
  const ask = async ({ client }: TestUser, path: string, body: object, recipient: string) => {
    const { status } = await client.post(`/api/auth/${path}`, body)
    assert.equal(status, 200, path)
    return tokenIn(service(), recipient)
  }
  const changeEmail = async (user: TestUser) => {
    const newAddress = newEmail()
    return { newAddress, token: await ask(user, 'change-email', { newEmail: newAddress }, newAddress) }
  }
  const use = async (token: string) =>
    assert.equal((await service().client().get(`/api/auth/verify-email?token=${token}`)).status, 200)

  test('links/describe names the account of a link to reset the password or to delete the account, and uses nothing up', async () => {
    const user = await newUser()
    const { email } = user
    const reset = await ask(user, 'request-password-reset', { email }, email)
    for (let look = 0; look < 2; look += 1)
      assert.deepEqual(await describeLink(reset), { purpose: 'reset password', email })
    const deletion = await ask(user, 'delete-user', {}, email)
    assert.deepEqual(await describeLink(deletion), { purpose: 'delete user', email })
    const body = { token: reset, newPassword: 'another fine long password' }
    assert.equal((await user.client.post('/api/auth/reset-password', body)).status, 200)
    assert.equal(await describeLink(reset), 'INVALID_TOKEN')
    assert.equal(await describeLink(deletion), 'INVALID_TOKEN', 'the reset revoked the session that asked')
  })

  test('links/describe names both email addresses of a change and of its undoing', async () => {
    const user = await newUser()
    const { email } = user
    const { newAddress, token } = await changeEmail(user)
    assert.deepEqual(await describeLink(token), { purpose: 'change email', email, newEmail: newAddress })
    await use(token)
    assert.equal(await describeLink(token), 'INVALID_TOKEN')
    const undo = await tokenIn(service(), email)
    assert.deepEqual(await describeLink(undo), { purpose: 'undo email change', email: newAddress, newEmail: email })
  })

  test('links/describe names the email address that a link verifies or changes, while the account has it', async () => {
    const user = await newUser()
    const { database } = service().context
    const { email } = user
    const set = (change: object) => database.updateTable('users').set(change).where('id', '=', user.id).execute()
    await set({ emailVerified: 0 })
    const token = await ask(user, 'send-verification-email', { email }, email)
    assert.deepEqual(await describeLink(token), { purpose: 'verify email', email })
    await set({ emailVerified: 1 })
    const { token: change } = await changeEmail(user)
    await set({ email: newEmail() })
    assert.equal(await describeLink(token), 'INVALID_TOKEN')
    assert.equal(await describeLink(change), 'INVALID_TOKEN')
  })

  test('links/describe refuses an expired token, a token of a banned user, a setup link, and an invented token', async () => {
    const user = await newUser()
    const { email } = user
    const token = await ask(user, 'request-password-reset', { email }, email)
    const { client } = await administrator(service())
    await client.post('/api/auth/admin/ban-user', { userId: user.id })
    assert.equal(await describeLink(token), 'INVALID_TOKEN')
    await client.post('/api/auth/admin/unban-user', { userId: user.id })
    assert.equal((await describeLink(token)).email, email)
    service().advance(3_600_000)
    for (const refused of [token, 'x', 'A'.repeat(43)]) assert.equal(await describeLink(refused), 'INVALID_TOKEN')
  })
})
