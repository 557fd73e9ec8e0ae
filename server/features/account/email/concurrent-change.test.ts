import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { registerOptions, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { enableTotp } from '../../../../test/support/two-step.ts'
import { newEmail, PASSWORD } from '../../../../test/support/users.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'

type User = Awaited<ReturnType<typeof userWithPasskey>>

onEachDatabase('Emails during a change of the address', (service) => {
  const REQUESTS: { path: string; subject: RegExp; send: (user: User) => Promise<() => Promise<Answer>> }[] = [
    {
      path: 'change-password',
      subject: /^Your password was changed/,
      send: async ({ client }) => {
        const change = { currentPassword: PASSWORD, newPassword: 'another fine long password' }
        return () => client.post('/api/auth/change-password', change)
      },
    },
    {
      path: 'delete-passkey',
      subject: /^A passkey was deleted/,
      send:
        async ({ client, passkeyId }) =>
        () =>
          client.post('/api/auth/passkey/delete-passkey', { id: passkeyId }),
    },
    {
      path: 'verify-registration',
      subject: /^A passkey was added/,
      send: async ({ client }) => {
        const response = createAuthenticator(service().baseUrl).create(await registerOptions(client))
        return () => client.post('/api/auth/passkey/verify-registration', { response })
      },
    },
    {
      path: 'get-totp-uri',
      subject: /^The key of your authenticator app was shown/,
      send: async (user) => {
        await enableTotp(service(), user)
        return () => user.client.post('/api/auth/two-factor/get-totp-uri', { password: PASSWORD })
      },
    },
    {
      path: 'change-email',
      subject: /^Another email address was requested/,
      send:
        async ({ client }) =>
        () =>
          client.post('/api/auth/change-email', { newEmail: newEmail() }),
    },
    {
      path: 'delete-user',
      subject: /^Confirm the deletion/,
      send:
        async ({ client }) =>
        () =>
          client.post('/api/auth/delete-user'),
    },
  ]

  for (const { path, subject, send } of REQUESTS)
    test(`The email of ${path} goes to the address that the user has changed to concurrently`, async () => {
      const user = await userWithPasskey(service())
      const request = await send(user)
      const before = await service().emails(user.email)
      const newAddress = newEmail()
      const changing: ConcurrentStep = {
        begin: (transaction) => lockUserForUpdate(transaction, user.id),
        finish: (transaction) =>
          transaction.updateTable('users').set({ email: newAddress }).where('id', '=', user.id).execute(),
      }
      const { status, body } = await concurrently(service(), changing, request)
      assert.equal(status, 200, JSON.stringify(body))
      assert.match((await service().emails(newAddress))[0]?.subject ?? 'none', subject)
      assert.equal((await service().emails(user.email)).length, before.length)
    })
  test('change-email to the address that the user has changed to concurrently gets VALIDATION_ERROR, and no link', async () => {
    const user = await userWithPasskey(service())
    const email = newEmail()
    const changing: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, user.id),
      finish: (transaction) => transaction.updateTable('users').set({ email }).where('id', '=', user.id).execute(),
    }
    const send = () => user.client.post('/api/auth/change-email', { newEmail: email })
    const { status, body } = await concurrently(service(), changing, send)
    assert.deepEqual([status, body.code, body.field], [400, 'VALIDATION_ERROR', 'newEmail'])
    assert.deepEqual(await service().emails(email), [])
  })
})
