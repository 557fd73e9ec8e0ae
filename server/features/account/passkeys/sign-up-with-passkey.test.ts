import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import type { Client } from '../../../../test/support/client.ts'
import { registerOptions, tryToSignIn, userWithPasskeyOnly } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  invite,
  newEmail,
  signUp,
  type TestMember,
} from '../../../../test/support/users.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'

const OPTIONS = '/api/auth/passkey/generate-register-options'
const VERIFY = '/api/auth/passkey/verify-registration'
const QUERY = '?context=sign-up&name=Hilda%20Hire'

onEachDatabase('sign-up-with-passkey', (service) => {
  const userCount = async () => (await service().context.database.selectFrom('users').select('id').execute()).length
  const invited = async (inviter?: TestMember) => {
    const invitation = await invite(service(), inviter ?? (await administratorWithOrganization(service())))
    const client = service().client()
    await client.get(invitation.linkPath)
    return { ...invitation, client }
  }
  const finish = (client: Client, options: never) =>
    client.post(VERIFY, { response: createAuthenticator(service().baseUrl).create(options), name: 'Hilda Hire' })

  test('sign-up-with-passkey creates the invited user without a password, verified and signed in', async () => {
    const inviter = await administratorWithOrganization(service())
    const { client, email, invitationId } = await invited(inviter)
    const before = await userCount()
    const options = await registerOptions(client, QUERY)
    assert.equal(options.user.name, email)
    assert.equal(options.user.displayName, 'Hilda Hire')
    assert.equal(await userCount(), before)
    const authenticator = createAuthenticator(service().baseUrl)
    const answer = await client.post(VERIFY, { response: authenticator.create(options), name: 'Hilda Hire' })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { user, session, name } = answer.body
    assert.equal(name, 'Passkey')
    assert.equal(user.email, email)
    assert.equal(user.name, 'Hilda Hire')
    assert.equal(user.emailVerified, true)
    assert.equal(Buffer.from(options.user.id, 'base64url').toString(), user.id)
    assert.equal(answer.headers.get('set-auth-token'), session.token)
    assert.equal(client.cookies.get('session'), session.token)

    const accepted = await client.post('/api/auth/organization/accept-invitation', { invitationId })
    assert.equal(accepted.status, 200)
    assert.equal(accepted.body.member.userId, user.id)
    assert.equal((await tryToSignIn(service().client(), authenticator)).body.user.id, user.id)
    const password = { email, password: 'correct horse battery staple' }
    assert.equal((await service().client().post('/api/auth/sign-in/email', password)).status, 401)
  })

  test('sign-up-with-passkey accepts stale session tokens that disagree', async () => {
    const { client, email } = await invited()
    client.cookies.set('session', 'stale')
    const stale = { headers: { authorization: 'Bearer older' } }
    const { body: options } = await client.get(OPTIONS + QUERY, stale)
    const body = { response: createAuthenticator(service().baseUrl).create(options), name: 'Hilda Hire' }
    const answer = await client.post(VERIFY, body, stale)
    assert.deepEqual([answer.status, answer.body.user?.email], [200, email])
  })

  test('A user of sign-up-with-passkey can set a password by a reset', async () => {
    const { id, email, authenticator } = await userWithPasskeyOnly(service())
    const { context } = service()
    const token = await createToken(context.database, context, 'reset password', { userId: id, data: {} })
    const newPassword = 'a password of her own, later'
    assert.equal((await service().client().post('/api/auth/reset-password', { token, newPassword })).status, 200)
    const signIn = await service().client().post('/api/auth/sign-in/email', { email, password: newPassword })
    assert.equal(signIn.status, 200)
    assert.equal((await tryToSignIn(service().client(), authenticator)).status, 200)
  })

  test('sign-up-with-passkey requires a name of one line', async () => {
    const { client } = await invited()
    for (const query of [
      '?context=sign-up',
      '?context=sign-up&name=',
      '?context=sign-up&name=%00',
      '?context=sign-up&name=%20',
    ]) {
      const answer = await client.get(OPTIONS + query)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.field, 'name')
    }
  })

  test('CVE-2026-29193: sign-up-with-passkey refuses a request without a valid invitation', async () => {
    const before = await userCount()
    const stranger = service().client()
    assert.equal((await stranger.get(OPTIONS + QUERY)).status, 401)
    const { client, linkPath } = await invited()
    const options = await registerOptions(client, QUERY)
    stranger.cookies.set('invitation', `${linkPath.split('/').at(-1)}x`)
    const tampered = await stranger.get(OPTIONS + QUERY)
    assert.deepEqual([tampered.status, tampered.body.code], [400, 'INVITATION_REQUIRED'])
    assert.equal((await stranger.get(OPTIONS)).status, 401)
    assert.equal((await finish(stranger, options as never)).body.code, 'CHALLENGE_FROM_ELSEWHERE')
    assert.equal((await finish(client, options as never)).body.code, 'CHALLENGE_NOT_FOUND')
    client.cookies.delete('invitation')
    assert.equal((await finish(client, options as never)).status, 401)
    assert.equal(await userCount(), before)
  })

  test('CVE-2022-23555: sign-up-with-passkey refuses to finish with another invitation', async () => {
    const inviter = await administratorWithOrganization(service())
    const { client } = await invited(inviter)
    const { linkPath } = await invite(service(), inviter)
    const options = await registerOptions(client, QUERY)
    await client.get(linkPath)
    assert.equal((await finish(client, options as never)).body.code, 'INVITATION_REQUIRED')
  })

  test('sign-up-with-passkey with expectedEmail is refused after the browser has opened the invitation of another address', async () => {
    const inviter = await administratorWithOrganization(service())
    const { client, email } = await invited(inviter)
    const other = await invite(service(), inviter)
    await client.get(other.linkPath)
    const queryFor = (address: string) => `${QUERY}&${new URLSearchParams({ expectedEmail: address })}`
    const { status, body } = await client.get(OPTIONS + queryFor(email))
    assert.deepEqual([status, body.code, body.field], [400, 'INVITATION_REQUIRED', 'expectedEmail'])
    const options = await registerOptions(client, queryFor(` ${other.email.toUpperCase()} `))
    assert.equal((await finish(client, options as never)).body.user.email, other.email)
  })

  test('sign-up-with-passkey refuses an invitation that is canceled, and an address that is taken, concurrently', async () => {
    const inviter = await administratorWithOrganization(service())
    const canceled = await invited(inviter)
    const taken = await invited(inviter)
    const before = await userCount()
    const first = await registerOptions(canceled.client, QUERY)
    await service()
      .context.database.updateTable('invitations')
      .set({ status: 'canceled' })
      .where('id', '=', canceled.invitationId)
      .execute()
    assert.equal((await finish(canceled.client, first as never)).body.code, 'INVITATION_CANCELED')
    assert.equal(await userCount(), before)

    const second = await registerOptions(taken.client, QUERY)
    await signUp(service(), taken)
    assert.equal((await finish(taken.client, second as never)).body.code, 'USER_ALREADY_EXISTS')
    assert.equal((await taken.client.get(OPTIONS + QUERY)).body.code, 'USER_ALREADY_EXISTS')
    assert.equal(await userCount(), before + 1)
  })

  test('sign-up-with-passkey creates one user for concurrent responses', async () => {
    const { client, email } = await invited()
    // The first one sets the browser's cookie, which the others keep.
    await registerOptions(client, QUERY)
    const options = await Promise.all(Array.from({ length: 5 }, () => registerOptions(client, QUERY)))
    const answers = await Promise.all(options.map((one) => finish(client, one as never)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(answers.every(({ status, body }) => status === 200 || body.code === 'USER_ALREADY_EXISTS'))
    const rows = await service().context.database.selectFrom('users').select('id').where('email', '=', email).execute()
    assert.equal(rows.length, 1)
  })

  test('sign-up-with-passkey in a session is refused', async () => {
    const { client } = await userWithPasskeyOnly(service())
    const answer = await client.get(OPTIONS + QUERY)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.field, 'context')
  })

  test('CVE-2019-19844: sign-up-with-passkey uses the invited address, whatever else the request has', async () => {
    const { client, email } = await invited()
    const other = newEmail()
    const options = await registerOptions(client, `${QUERY}&email=${other}`)
    assert.equal(options.user.name, email)
    assert.equal((await finish(client, options as never)).body.user.email, email)
  })
})
