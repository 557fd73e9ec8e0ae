import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/support/client.ts'
import { tryToSignIn, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { enableEmailCodes, enableTotp, firstStep, userWithTotp } from '../../../../test/support/two-step.ts'
import { administrator, newEmail, newMember, PASSWORD } from '../../../../test/support/users.ts'
import { listUnsentEmails } from '../../../platform/mail/failed-emails.ts'

const MINUTE = 60_000
const SUBJECT = 'Your password was entered on another device'
const TWO_FACTOR = '/api/auth/two-factor'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

onEachDatabase('The email about an unfinished sign-in', (service) => {
  const notices = async (email: string) => (await service().emails(email)).filter(({ subject }) => subject === SUBJECT)
  const verify = (client: Client, code: string) => client.post(`${TWO_FACTOR}/verify-totp`, { code })

  test('The right password on another device sends an email when the second step does not follow', async () => {
    const { email } = await userWithTotp(service())
    const stranger = service().client()
    const body = { email, password: PASSWORD }
    assert.equal(
      (await stranger.post('/api/auth/sign-in/email', body, { headers: { 'user-agent': FIREFOX } })).status,
      200,
    )
    service().advance(9 * MINUTE)
    assert.equal((await notices(email)).length, 0)
    service().advance(MINUTE)
    const [notice, ...others] = await notices(email)
    assert.equal(others.length, 0)
    for (const part of ['Firefox on Linux', stranger.address, `${service().baseUrl}/account/security`])
      assert.ok(notice?.text.replaceAll(/\s+/g, ' ').includes(part), part)
  })

  test('A user who gets codes by email gets this email too, because a stranger need not ask for the code', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    await firstStep(service().client(), user.email)
    service().advance(10 * MINUTE)
    assert.equal((await notices(user.email)).length, 1)
  })

  test('The email is sent when two-step verification is turned on while the password is verified', async (t) => {
    const user = await newMember(service())
    const { passwords } = service().context
    const verify = passwords.verify
    t.mock.method(passwords, 'verify', async (...given: Parameters<typeof verify>) => {
      await enableTotp(service(), user)
      return verify(...given)
    })
    assert.equal((await firstStep(service().client(), user.email)).body.twoFactorRedirect, true)
    service().advance(10 * MINUTE)
    assert.equal((await notices(user.email)).length, 1)
  })

  test('Five wrong codes use the challenge up, and the email is sent', async () => {
    const { email } = await userWithTotp(service())
    const stranger = service().client()
    await firstStep(stranger, email)
    for (let count = 0; count < 5; count += 1) assert.equal((await verify(stranger, '000000')).status, 401)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 1)
  })

  test('The second step takes the email back, also after a wrong code', async () => {
    const { email, app } = await userWithTotp(service())
    const client = service().client()
    await firstStep(client, email)
    assert.equal((await verify(client, '000000')).status, 401)
    assert.equal((await verify(client, app.codeAt(service().context.now()))).status, 200)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 0)
  })

  test('A recovery code that starts no session takes the email back', async () => {
    const { email, app } = await userWithTotp(service())
    const client = service().client()
    await firstStep(client, email)
    const body = { code: app.backupCodes[0], disableSession: true }
    assert.equal((await client.post(`${TWO_FACTOR}/verify-backup-code`, body)).status, 200)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 0)
  })

  test('A sign-in that is finished takes only its own email back', async () => {
    const { email, app } = await userWithTotp(service())
    const [stranger, client] = [service().client(), service().client()]
    await firstStep(stranger, email)
    await firstStep(client, email)
    assert.equal((await verify(client, app.codeAt(service().context.now()))).status, 200)
    service().advance(10 * MINUTE)
    const [notice, ...others] = await notices(email)
    assert.equal(others.length, 0)
    assert.ok(notice?.text.includes(stranger.address))
  })

  test('The second step after the password was entered twice in one browser takes the email back', async () => {
    const { email, app } = await userWithTotp(service())
    const client = service().client()
    await firstStep(client, email)
    for (let count = 0; count < 5; count += 1) assert.equal((await verify(client, '000000')).status, 401)
    await firstStep(client, email)
    assert.equal((await verify(client, app.codeAt(service().context.now()))).status, 200)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 0)
  })

  test('The password entered again in one browser does not postpone the email, and after it causes another one', async () => {
    const { email } = await userWithTotp(service())
    const stranger = service().client()
    await firstStep(stranger, email)
    service().advance(9 * MINUTE)
    await firstStep(stranger, email)
    service().advance(MINUTE)
    assert.equal((await notices(email)).length, 1)
    service().advance(8 * MINUTE)
    await firstStep(stranger, email)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 2)
  })

  test('A sign-in of another user in the same browser leaves the email', async () => {
    const [first, second] = [await userWithTotp(service()), await userWithTotp(service())]
    const client = service().client()
    await firstStep(client, first.email)
    await firstStep(client, second.email)
    assert.equal((await verify(client, second.app.codeAt(service().context.now()))).status, 200)
    service().advance(10 * MINUTE)
    assert.deepEqual([(await notices(first.email)).length, (await notices(second.email)).length], [1, 0])
  })

  test('A passkey after the password in the same browser takes the email back', async () => {
    const user = await userWithPasskey(service())
    await enableTotp(service(), user)
    const client = service().client()
    await firstStep(client, user.email)
    assert.equal((await tryToSignIn(client, user.authenticator)).status, 200)
    service().advance(10 * MINUTE)
    assert.equal((await notices(user.email)).length, 0)
  })

  test('An unfinished sign-in on a known device sends no email', async () => {
    const { email, app } = await userWithTotp(service())
    const client = service().client()
    await firstStep(client, email)
    assert.equal((await verify(client, app.codeAt(service().context.now()))).status, 200)
    await firstStep(client, email)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 0)
  })

  test('The email is in no list before its time, and a deletion of the user deletes it, also after a change of address', async () => {
    const { id, email } = await userWithTotp(service())
    const { client } = await administrator(service())
    await firstStep(service().client(), email)
    const listed = await client.get(`/api/auth/admin/list-emails?recipient=${encodeURIComponent(email)}`)
    assert.deepEqual([listed.status, listed.body.emails], [200, []])
    const { database, now } = service().context
    const waiting = await listUnsentEmails(database, { now: now(), isFailed: false, limit: 1_000 })
    assert.ok(!waiting.some(({ recipient }) => recipient === email))
    await database.updateTable('users').set({ email: newEmail() }).where('id', '=', id).execute()
    assert.equal((await client.post('/api/auth/admin/remove-user', { userId: id })).status, 200)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 0)
  })

  test('A wrong password sends no email', async () => {
    const { email } = await userWithTotp(service())
    const wrong = { email, password: 'a wrong guess' }
    assert.equal((await service().client().post('/api/auth/sign-in/email', wrong)).status, 401)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 0)
  })

  test('A user gets 5 of these emails in an hour', async () => {
    const { email } = await userWithTotp(service())
    for (let count = 0; count < 7; count += 1) assert.equal((await firstStep(service().client(), email)).status, 200)
    service().advance(10 * MINUTE)
    assert.equal((await notices(email)).length, 5)
  })
})
