import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concurrently, userDeletion } from '../../../../test/support/concurrently.ts'
import { authorizationRequest, createTestApp, locationOf } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'

onEachDatabase('oauth2/consent', (service) => {
  test('oauth2/consent returns 401 UNAUTHORIZED when the user is deleted concurrently', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service(), {}, { skipConsent: 0 })
    const { search } = locationOf(await user.client.get((await authorizationRequest(app)).path))
    const allow = () => user.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query: search.slice(1) })
    const { status, body } = await concurrently(service(), userDeletion(service(), user.id), allow)
    assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
  })
})
