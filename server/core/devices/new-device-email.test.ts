import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../test/support/client.ts'
import { newUsers } from '../../../test/support/many-users.ts'
import { tryToSignIn, userWithPasskey } from '../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, PASSWORD, signedIn, type TestUser, tokenIn } from '../../../test/support/users.ts'
import { createAdmin } from '../../features/account/setup/create-admin.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { DEVICE_COOKIE } from '../../platform/http/cookies.ts'

const SUBJECT = 'New sign-in to your account'
const NEW_PASSWORD = 'another fine long password'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

onEachDatabase('The email about a new sign-in', (service) => {
  const notices = async (email: string) => (await service().emails(email)).filter(({ subject }) => subject === SUBJECT)
  const deviceOf = (client: Client) => hashToken(client.cookies.get(DEVICE_COOKIE) ?? '')
  const newUser = async () => (await newUsers(service(), 1))[0] ?? ''
  const signIn = (client: Client, email: string) =>
    client.post('/api/auth/sign-in/email', { email, password: PASSWORD }, { headers: { 'user-agent': FIREFOX } })

  test('A sign-in on another device sends an email with device, network and a link, and the first one sends none', async () => {
    const email = await newUser()
    const first = service().client()
    assert.equal((await signIn(first, email)).status, 200)
    assert.equal((await signIn(first, email)).status, 200)
    await first.post('/api/auth/sign-out')
    assert.equal((await signIn(first, email)).status, 200)
    assert.equal((await notices(email)).length, 0)
    const second = service().client()
    assert.equal((await signIn(second, email)).status, 200)
    assert.equal((await signIn(second, email)).status, 200)
    const [notice, ...others] = await notices(email)
    assert.equal(others.length, 0)
    for (const part of ['Firefox on Linux', second.address, `${service().baseUrl}/account/security`])
      assert.ok(notice?.text.replaceAll(/\s+/g, ' ').includes(part), part)
  })

  test('A sign-in on a known device sends the email when the device expires while the password is verified', async (t) => {
    const email = await newUser()
    const [first, second] = [service().client(), service().client()]
    assert.equal((await signIn(first, email)).status, 200)
    assert.equal((await signIn(second, email)).status, 200)
    const { length } = await notices(email)
    const { database, passwords } = service().context
    const verify = passwords.verify
    t.mock.method(passwords, 'verify', async (...given: Parameters<typeof verify>) => {
      await database.updateTable('knownDevices').set({ expiresAt: 0 }).where('device', '=', deviceOf(first)).execute()
      return verify(...given)
    })
    assert.equal((await signIn(first, email)).status, 200)
    assert.equal((await notices(email)).length, length + 1)
  })

  test('A wrong password on another device sends no email', async () => {
    const email = await newUser()
    await signedIn(service(), email)
    const wrong = { email, password: 'a wrong guess' }
    assert.equal((await service().client().post('/api/auth/sign-in/email', wrong)).status, 401)
    assert.equal((await notices(email)).length, 0)
  })

  test('A sign-in with a passkey on another device sends the email, and a step-up sends none', async () => {
    const { client, authenticator, email } = await userWithPasskey(service())
    assert.equal((await tryToSignIn(client, authenticator)).status, 200)
    assert.equal((await notices(email)).length, 0)
    assert.equal((await tryToSignIn(service().client(), authenticator)).status, 200)
    assert.equal((await notices(email)).length, 1)
  })

  /** @returns the password afterwards */
  const recoveries: Record<string, (user: TestUser) => Promise<string>> = {
    async 'a password reset by email'({ email }) {
      const client = service().client()
      await client.post('/api/auth/request-password-reset', { email })
      const reset = { token: await tokenIn(service(), email), newPassword: NEW_PASSWORD }
      assert.equal((await client.post('/api/auth/reset-password', reset)).status, 200)
      return NEW_PASSWORD
    },
    async 'a password that staff set'({ id }) {
      const { client } = await administrator(service())
      const body = { userId: id, newPassword: NEW_PASSWORD }
      assert.equal((await client.post('/api/auth/admin/set-user-password', body)).status, 200)
      return NEW_PASSWORD
    },
    async 'a password of the command line'({ email }) {
      await createAdmin(service().context, { email, name: 'Ada Admin', password: NEW_PASSWORD })
      return NEW_PASSWORD
    },
    async 'change-password'({ client }) {
      const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
      assert.equal((await client.post('/api/auth/change-password', body)).status, 200)
      return NEW_PASSWORD
    },
    async 'revoke-other-sessions'({ client }) {
      assert.equal((await client.post('/api/auth/revoke-other-sessions')).status, 200)
      return PASSWORD
    },
    async 'revoke-user-sessions of staff'({ id }) {
      const { client } = await administrator(service())
      assert.equal((await client.post('/api/auth/admin/revoke-user-sessions', { userId: id })).status, 200)
      return PASSWORD
    },
  }
  for (const [name, recover] of Object.entries(recoveries))
    test(`After ${name}, the first sign-in on a known device, which may be an intruder's, sends the email once`, async () => {
      const user = await signedIn(service(), await newUser())
      const intruder = (await signedIn(service(), user.email)).client
      const cookie = intruder.cookies.get(DEVICE_COOKIE)
      const { length } = await notices(user.email)
      const password = await recover(user)
      assert.equal((await notices(user.email)).length, length)
      const body = { email: user.email, password }
      for (const _ of [1, 2]) assert.equal((await intruder.post('/api/auth/sign-in/email', body)).status, 200)
      assert.equal((await notices(user.email)).length, length + 1)
      assert.notEqual(intruder.cookies.get(DEVICE_COOKIE), cookie)
    })

  test('A user who signs in from many devices gets 5 of the emails in an hour, and every sign-in succeeds', async () => {
    const email = await newUser()
    for (let count = 0; count < 8; count += 1) await signedIn(service(), email)
    assert.equal((await notices(email)).length, 5)
    service().advance(3_600_000)
    await signedIn(service(), email)
    assert.equal((await notices(email)).length, 6)
  })
})
