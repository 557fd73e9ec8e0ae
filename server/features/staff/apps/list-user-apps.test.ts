import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestConsent } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { administrator } from '../../../../test/support/users.ts'

const LIST = '/api/auth/admin/list-user-apps'

onEachDatabase('admin/list-user-apps', (service) => {
  test('list-user-apps shows support the apps of a user as the user sees them, and of no other user', async () => {
    const boss = await administrator(service())
    const user = await userWithRole(service(), boss)
    const other = await userWithRole(service(), boss)
    const { client } = await insertTestConsent(service(), user.id)
    await insertTestConsent(service(), other.id)
    const support = await userWithRole(service(), boss, 'support')
    const { status, body } = await support.client.get(`${LIST}?userId=${user.id}`)
    const own = await user.client.get('/api/auth/oauth2/list-apps')
    assert.deepEqual([status, body], [200, { apps: own.body }])
    assert.deepEqual(
      body.apps.map(({ clientId, scopes }: { clientId: string; scopes: string[] }) => [clientId, scopes]),
      [[client.id, ['openid', 'email']]],
    )
  })

  test('list-user-apps returns 404 for an unknown user', async () => {
    const { client } = await administrator(service())
    const { status, body } = await client.get(`${LIST}?userId=usr_none`)
    assert.deepEqual([status, body.code, body.field], [404, 'USER_NOT_FOUND', 'userId'])
  })
})
