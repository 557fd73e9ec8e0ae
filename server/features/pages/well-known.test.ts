import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'

onEachDatabase('/.well-known', (service) => {
  test('Password managers find the pages that change the password and manage passkeys', async () => {
    const client = service().client()
    const password = await client.get('/.well-known/change-password')
    assert.deepEqual([password.status, password.headers.get('location')], [302, '/account/security#password'])
    const passkeys = await client.get('/.well-known/passkey-endpoints')
    const url = `${service().baseUrl}/account/security#passkeys`
    assert.deepEqual([passkeys.status, passkeys.body], [200, { enroll: url, manage: url }])
  })
})
