import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthClient } from 'better-auth/client'
import { bearerOptions } from '../support/official-client.ts'
import { onEachDatabase } from '../support/service.ts'
import {
  administratorWithOrganization,
  invite,
  linkIn,
  newEmail,
  newMember,
  PASSWORD,
  tokenIn,
} from '../support/users.ts'

/** Uses the official client, unmodified, with a bearer token, like another service or a mobile app. */
onEachDatabase('Official client', (service) => {
  const clientOf = (start?: string) => {
    const { held, options } = bearerOptions(service(), start)
    return { client: createAuthClient(options), held }
  }
  const anyUser = async () => {
    const { email } = await newMember(service())
    const { client, held } = clientOf()
    const { error } = await client.signIn.email({ email, password: PASSWORD })
    assert.equal(error, null)
    return { email, client, held }
  }

  test('The official client signs up by invitation, signs in and out, and reads the session', async () => {
    const invited = await invite(service(), await administratorWithOrganization(service()))
    const { client } = clientOf()
    const body = {
      name: 'Hilda Hire',
      email: invited.email,
      password: PASSWORD,
      invitation: invited.linkPath.slice('/invite/'.length),
    }
    const up = await client.signUp.email(body)
    assert.equal(up.data?.user.email, invited.email)
    assert.equal((await client.getSession()).data?.user.email, invited.email)
    assert.equal((await client.signOut()).data?.success, true)
    const { client: again } = clientOf()
    assert.equal(
      (await again.signIn.email({ email: invited.email, password: 'wrong' })).error?.code,
      'INVALID_EMAIL_OR_PASSWORD',
    )
    const signedIn = await again.signIn.email({ email: invited.email, password: PASSWORD, rememberMe: false })
    assert.ok(signedIn.data?.token)
    assert.ok((await again.getSession()).data?.session.expiresAt instanceof Date)
  })

  test('The official client lists and revokes sessions', async () => {
    const { client, email } = await anyUser()
    const other = clientOf()
    await other.client.signIn.email({ email, password: PASSWORD })
    const { data: sessions } = await client.listSessions()
    const current = (await client.getSession()).data?.session.token
    const others = sessions?.filter(({ token }) => token !== current) ?? []
    assert.equal(others.length, 2)
    assert.equal((await client.revokeSession({ token: others[0]?.token ?? '' })).data?.status, true)
    assert.equal((await client.revokeOtherSessions()).data?.status, true)
    assert.equal((await client.listSessions()).data?.length, 1)
    assert.equal((await client.revokeSessions()).data?.status, true)
    assert.equal((await client.getSession()).data, null)
  })

  test('The official client changes and resets the password', async () => {
    const { client, email } = await anyUser()
    const changed = await client.changePassword({
      currentPassword: PASSWORD,
      newPassword: 'a second fine password',
      revokeOtherSessions: true,
    })
    assert.ok(changed.data?.token)
    assert.equal((await client.getSession()).data?.user.email, email)
    assert.equal((await client.requestPasswordReset({ email, redirectTo: '/reset-password' })).data?.status, true)
    const token = await tokenIn(service(), email)
    assert.equal((await client.resetPassword({ newPassword: 'a third fine password', token })).data?.status, true)
    assert.equal((await client.signIn.email({ email, password: 'a third fine password' })).error, null)
  })

  test('The official client verifies and changes the email address', async () => {
    const { client, email } = await anyUser()
    const newAddress = newEmail()
    assert.equal((await client.changeEmail({ newEmail: newAddress, callbackURL: '/account' })).data?.status, true)
    assert.match(await linkIn(service(), newAddress), /\/change-email#token=/)
    const changed = await client.verifyEmail({ query: { token: await tokenIn(service(), newAddress) } })
    assert.equal(changed.error, null)
    assert.equal((await client.getSession()).data?.user.email, newAddress)
    assert.equal((await client.sendVerificationEmail({ email, callbackURL: '/account' })).data?.status, true)
  })

  test('The official client updates and deletes the user', async () => {
    const { client } = await anyUser()
    assert.equal(
      (await client.updateUser({ name: 'Another Name', image: 'https://example.com/a.png' })).data?.status,
      true,
    )
    assert.equal((await client.getSession()).data?.user.name, 'Another Name')
    assert.equal((await client.listAccounts()).data?.[0]?.providerId, 'credential')
    const deleted = await client.deleteUser({ password: PASSWORD, callbackURL: '/sign-in' })
    assert.equal(deleted.data?.success, true)
    assert.equal((await client.getSession()).data, null)
  })
})
