import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import {
  addPasskey,
  type PasskeyUser,
  registerOptions,
  tryToSignIn,
  userWithPasskey,
} from '../../../test/support/passkeys.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { appOfUri } from '../../../test/support/two-step.ts'
import { newEmail, newMember, PASSWORD, signedIn, type TestMember, tokenIn } from '../../../test/support/users.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { AUTHENTICATION_METHODS } from '../sessions/authentication-methods.ts'

type Send = (user: TestMember & PasskeyUser) => Promise<{ status: number; body: { code?: string } }>

/** Each leads, by itself or with the next ones, from a password to a passkey of the caller's choice. */
const CHANGES: Record<string, Send> = {
  'the options of another passkey': ({ client }) => client.get('/api/auth/passkey/generate-register-options'),
  'an authenticator app': ({ client }) => client.post('/api/auth/two-factor/enable', { password: PASSWORD }),
  'codes by email': ({ client }) => client.post('/api/auth/two-factor/enable', { password: PASSWORD, method: 'otp' }),
  'another email address': ({ client }) => client.post('/api/auth/change-email', { newEmail: newEmail() }),
  'the deletion of the passkey': ({ client, passkeyId }) =>
    client.post('/api/auth/passkey/delete-passkey', { id: passkeyId }),
}

onEachDatabase('A password alone, where two-step verification is required', (service) => {
  for (const [name, send] of Object.entries(CHANGES))
    test(`${name} needs the passkey of the user`, async () => {
      const user = await userWithPasskey(service())
      await setMethods(service(), user, AUTHENTICATION_METHODS.password)
      await requireTwoStep(service(), user)
      const refused = await send(user)
      assert.deepEqual([refused.status, refused.body.code], [403, 'TWO_FACTOR_REQUIRED'])
      await setMethods(service(), user, AUTHENTICATION_METHODS.passkey)
      assert.equal((await send(user)).status, 200)
    })

  test('A passkey whose registration began before the requirement is refused', async () => {
    const user = await userWithPasskey(service())
    await setMethods(service(), user, AUTHENTICATION_METHODS.password)
    const response = createAuthenticator(service().baseUrl).create(await registerOptions(user.client))
    await requireTwoStep(service(), user)
    const refused = await user.client.post('/api/auth/passkey/verify-registration', { response })
    assert.deepEqual([refused.status, refused.body.code], [403, 'TWO_FACTOR_REQUIRED'])
  })

  test('The setup of an authenticator app that began before the requirement is not turned on', async () => {
    const user = await userWithPasskey(service())
    await setMethods(service(), user, AUTHENTICATION_METHODS.password)
    const setup = await user.client.post('/api/auth/two-factor/enable', { password: PASSWORD })
    const code = appOfUri(setup.body.totpURI).codeAt(service().context.now())
    await requireTwoStep(service(), user)
    const turnOn = () => user.client.post('/api/auth/two-factor/verify-totp', { code })
    const refused = await turnOn()
    assert.deepEqual([refused.status, refused.body.code], [403, 'TWO_FACTOR_REQUIRED'])
    assert.equal((await user.client.get('/api/auth/two-factor/get-status')).body.enabled, false)
    await setMethods(service(), user, AUTHENTICATION_METHODS.passkey)
    assert.equal((await turnOn()).status, 200)
  })

  test('The email about a passkey of an intruder names the page that removes it, where a password alone can not', async () => {
    const victim = await newMember(service())
    await requireTwoStep(service(), victim)
    const intruder = await addPasskey(service(), await signedIn(service(), victim.email))
    const [message] = await service().emails(victim.email)
    assert.ok(message?.text.replaceAll(/\s+/g, ' ').includes(`${service().baseUrl}/forgot-password. That page shows`))
    const refused = await victim.client.post('/api/auth/passkey/delete-passkey', { id: intruder.passkeyId })
    assert.deepEqual([refused.status, refused.body.code], [403, 'TWO_FACTOR_REQUIRED'])

    const client = service().client()
    await client.post('/api/auth/request-password-reset', { email: victim.email })
    const token = await tokenIn(service(), victim.email)
    const reset = { token, newPassword: 'another fine long password', removePasskeys: [intruder.passkeyId] }
    assert.equal((await client.post('/api/auth/reset-password', reset)).status, 200)
    assert.equal((await tryToSignIn(client, intruder.authenticator)).body.code, 'UNKNOWN_PASSKEY')
  })

  test('The first passkey needs no other one, and without the requirement a password is enough', async () => {
    const user = await newMember(service())
    await requireTwoStep(service(), user)
    const { passkeyId } = await addPasskey(service(), user)
    await requireTwoStep(service(), user, 0)
    const { status } = await user.client.post('/api/auth/passkey/delete-passkey', { id: passkeyId })
    assert.equal(status, 200)
  })
})

function setMethods(
  { context }: Service,
  { token }: TestMember,
  authenticationMethods: SessionRow['authenticationMethods'],
) {
  const sessions = context.database.updateTable('sessions').set({ authenticationMethods })
  return sessions.where('tokenHash', '=', hashToken(token)).execute()
}

function requireTwoStep({ context }: Service, { organization }: TestMember, requireTwoFactor = 1) {
  const organizations = context.database.updateTable('organizations').set({ requireTwoFactor })
  return organizations.where('id', '=', organization.id).execute()
}
