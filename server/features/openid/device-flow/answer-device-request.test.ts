import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initiateDeviceAuthorization } from 'openid-client'
import {
  afterTransactions,
  type ConcurrentStep,
  concurrently,
  userDeletion,
} from '../../../../test/support/concurrently.ts'
import { createTestApp } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'

onEachDatabase('device/approve', (service) => {
  /** A user who approves the device of an app that the user has not allowed before. */
  async function openScene(skipConsent: 0 | 1) {
    const user = await newMember(service())
    const app = await createTestApp(service(), {}, { skipConsent })
    const { user_code: userCode } = await initiateDeviceAuthorization(app.config, { scope: 'openid' })
    return { user, app, approve: () => user.client.post('/api/auth/device/approve', { userCode }) }
  }

  test('device/approve waits for a change that locks the user and then the sessions, without a deadlock', async () => {
    const { user, approve } = await openScene(0)
    const change: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, user.id),
      finish: (transaction) => lockSessionsOfUserForUpdate(transaction, user.id),
    }
    const { status, body } = await concurrently(service(), change, approve)
    assert.equal(status, 200, JSON.stringify(body))
  })

  test('device/approve returns 404 OAUTH_CLIENT_NOT_FOUND when the app is deleted concurrently, without a deadlock', async () => {
    const { app, approve } = await openScene(0)
    const deletion: ConcurrentStep = {
      // The statement of a deletion locks the client before it deletes the rows that refer to it.
      begin: (transaction) =>
        transaction.selectFrom('oauthClients').select('id').where('id', '=', app.id).forUpdate().execute(),
      finish: (transaction) => transaction.deleteFrom('oauthClients').where('id', '=', app.id).execute(),
    }
    const { status, body } = await concurrently(service(), deletion, approve)
    assert.deepEqual([status, body.code], [404, 'OAUTH_CLIENT_NOT_FOUND'])
  })

  test('device/approve returns 401 UNAUTHORIZED when the user is deleted concurrently', async () => {
    const { user, approve } = await openScene(0)
    const { status, body } = await concurrently(service(), userDeletion(service(), user.id), approve)
    assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
  })

  test('device/approve stores a consent for an app whose skip_consent is switched off concurrently', async () => {
    const { user, app, approve } = await openScene(1)
    const { database } = service().context
    const switchOff = () =>
      database.updateTable('oauthClients').set({ skipConsent: 0 }).where('id', '=', app.id).execute()
    assert.equal((await afterTransactions(service(), 0, switchOff, approve)).status, 200)
    const consents = database.selectFrom('oauthConsents').select('clientId').where('userId', '=', user.id)
    const clientIds = (await consents.execute()).map((consent) => consent.clientId)
    assert.deepEqual(clientIds, [app.id])
  })
})
