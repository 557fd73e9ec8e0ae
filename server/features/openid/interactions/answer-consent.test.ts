import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concurrently, userDeletion } from '../../../../test/support/concurrently.ts'
import { insertTestConsent } from '../../../../test/support/oauth-clients.ts'
import { authorizationRequest, createTestApp, locationOf } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'
import { findConsent } from '../../../core/oauth-consents/store.ts'

onEachDatabase('oauth2/consent', (service) => {
  test('oauth2/consent returns 401 UNAUTHORIZED when the user is deleted concurrently', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service(), {}, { skipConsent: 0 })
    const { search } = locationOf(await user.client.get((await authorizationRequest(app)).path))
    const allow = () => user.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query: search.slice(1) })
    const { status, body } = await concurrently(service(), userDeletion(service(), user.id), allow)
    assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
  })

  test('oauth2/consent returns 403 OAUTH_CONSENT_LIMIT_REACHED until the user ends the access of an app', async () => {
    const { context } = service()
    const user = await newMember(service())
    for (let count = 0; count < 100; count += 1) await insertTestConsent(service(), user.id)
    const app = await createTestApp(service(), {}, { skipConsent: 0, createdBy: null })
    const { search } = locationOf(await user.client.get((await authorizationRequest(app)).path))
    const allow = () => user.client.post('/api/auth/oauth2/consent', { accept: true, oauth_query: search.slice(1) })
    const { status, body } = await allow()
    assert.deepEqual([status, body.code], [403, 'OAUTH_CONSENT_LIMIT_REACHED'])
    assert.equal(await findConsent(context.database, { userId: user.id, clientId: app.id }), undefined)
    const [{ clientId }] = (await user.client.get('/api/auth/oauth2/list-apps')).body
    assert.equal((await user.client.post('/api/auth/oauth2/revoke-app', { clientId })).status, 200)
    assert.equal((await allow()).status, 200)
  })
})
