import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization } from '../../../../test/support/users.ts'
import { deleteApiKeysCreatedBy } from './store.ts'

const API_KEY = '/api/auth/api-key'

onEachDatabase('Revoked API keys', (service) => {
  for (const [path, change] of [
    ['update', { name: 'Wages' }],
    ['rotate', { overlapSeconds: 60 }],
  ] as const)
    test(`api-key/${path} returns 404 KEY_NOT_FOUND when staff revoke the API keys of the creator concurrently`, async () => {
      const founder = await administratorWithOrganization(service())
      const created = { name: 'Payroll', organizationId: founder.organization.id }
      const { id: keyId } = (await founder.client.post(`${API_KEY}/create`, created)).body
      // Staff revoke API keys in every organization without locking the organizations.
      const revocation: ConcurrentStep = {
        begin: (transaction) => deleteApiKeysCreatedBy(transaction, { userId: founder.id }),
      }
      const { status, body } = await concurrently(service(), revocation, () =>
        founder.client.post(`${API_KEY}/${path}`, { keyId, ...change }),
      )
      assert.deepEqual([status, body.code], [404, 'KEY_NOT_FOUND'])
    })
})
