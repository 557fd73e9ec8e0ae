import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administrator, newEmail, newUser, PASSWORD, signedIn, tokenIn } from '../../../../test/support/users.ts'

const SEND = '/api/auth/admin/send-password-link'

onEachDatabase('send-password-link', (service) => {
  test('send-password-link emails a link that sets the password, and reveals nothing about the administrator', async () => {
    const admin = await administrator(service())
    const { client } = admin
    const email = newEmail()
    const userId = await newUser(service(), { email })
    const { status, body } = await client.post(SEND, { userId })
    assert.deepEqual([status, body], [200, { status: true }])
    const [message] = await service().emails(email)
    assert.equal(message?.subject, 'Choose a new password')
    assert.ok(!message?.text.includes(client.address))
    await signedIn(service(), email)
    const newPassword = `${PASSWORD} anew`
    const token = await tokenIn(service(), email)
    const reset = await service().client().post('/api/auth/reset-password', { token, newPassword })
    assert.equal(reset.status, 200, JSON.stringify(reset.body))
    await signedIn(service(), email, newPassword)
  })

  test('send-password-link refuses a banned user, whose links do not work', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const userId = await newUser(service(), { email })
    await admin.client.post('/api/auth/admin/ban-user', { userId })
    const before = (await service().emails(email)).length
    const { status, body } = await admin.client.post(SEND, { userId })
    assert.deepEqual([status, body.code], [403, 'BANNED_USER'])
    assert.equal((await service().emails(email)).length, before)
  })

  test('send-password-link refuses the sixth email to a user in an hour', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
    for (let count = 0; count < 5; count += 1) assert.equal((await admin.client.post(SEND, { userId })).status, 200)
    assert.equal((await admin.client.post(SEND, { userId })).body.code, 'TOO_MANY_REQUESTS')
  })
})
