import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refreshTokenGrant } from 'openid-client'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { authorizationRequest, createTestApp, locationOf, signInTo } from '../../../../test/support/openid.ts'
import { basic, postForm, refusalOf } from '../../../../test/support/protocol.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { member, owner } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'
import { deleteConsent, saveConsent } from '../../../core/oauth-consents/store.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'

function clientDeletion(id: string): ConcurrentStep {
  return {
    // The statement of a deletion locks the client before it deletes the rows that refer to it.
    begin: (transaction) =>
      transaction.selectFrom('oauthClients').select('id').where('id', '=', id).forUpdate().execute(),
    finish: (transaction) => transaction.deleteFrom('oauthClients').where('id', '=', id).execute(),
  }
}

onEachDatabase('concurrent endings', (service) => {
  test('A refresh that waits for a sign-out is refused, without a deadlock', async () => {
    const user = await member(service(), await owner(service()))
    const app = await createTestApp(service())
    const { refresh_token = '', claims } = await signInTo(user, app)
    const sid = String(claims()?.sid)
    const signOut: ConcurrentStep = {
      begin: (transaction) =>
        transaction.selectFrom('clientSessions').selectAll().where('sid', '=', sid).forUpdate().execute(),
      finish: (transaction) => transaction.deleteFrom('clientSessions').where('sid', '=', sid).execute(),
    }
    const refresh = () => refreshTokenGrant(app.config, refresh_token).catch(({ cause }) => cause?.error)
    assert.equal(await concurrently(service(), signOut, refresh), 'invalid_grant')
  })

  test('A refresh that waits for the deletion of its client is refused, without a deadlock', async () => {
    const user = await member(service(), await owner(service()))
    const app = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, app)
    const refresh = () => refreshTokenGrant(app.config, refresh_token).catch(({ cause }) => cause?.error)
    assert.equal(await concurrently(service(), clientDeletion(app.id), refresh), 'invalid_grant')
  })

  test('A device whose client is deleted while it asks for a code gets invalid_client', async () => {
    const app = await createTestApp(service())
    const ask = () => postForm(service(), '/api/auth/device/code', { scope: 'openid' }, basic(app))
    assert.deepEqual(refusalOf(await concurrently(service(), clientDeletion(app.id), ask)), [400, 'invalid_client'])
  })

  test('An app whose access the user ends during the authorization gets no code', async () => {
    const { context } = service()
    const user = await member(service(), await owner(service()))
    const app = await createTestApp(service(), {}, { skipConsent: 0 })
    const key = { userId: user.id, clientId: app.id }
    await inTransaction(context, OPERATOR, (unit) =>
      saveConsent(unit, { ...key, scopes: ['openid'], organizationId: null }),
    )
    const { path } = await authorizationRequest(app, { scope: 'openid' })
    assert.ok(locationOf(await user.client.get(path)).searchParams.has('code'))
    const ending: ConcurrentStep = {
      begin: (transaction) => lockSessionsOfUserForUpdate(transaction, user.id),
      finish: (transaction) => deleteConsent(transaction, user.id, key),
    }
    const again = await authorizationRequest(app, { scope: 'openid' })
    const answer = await concurrently(service(), ending, () => user.client.get(again.path))
    assert.equal(locationOf(answer).searchParams.get('error'), 'access_denied')
  })

  test('A user who is removed from the organization during the authorization gets no grant for it', async () => {
    const { context } = service()
    const user = await member(service(), await owner(service()))
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app, { scope: 'openid organization' })
    const removal: ConcurrentStep = {
      begin: (transaction) => lockOrganizationForUpdate(transaction, user.organization.id),
      finish: (transaction) => transaction.deleteFrom('members').where('userId', '=', user.id).execute(),
    }
    const answer = await concurrently(service(), removal, () => user.client.get(path))
    assert.equal(locationOf(answer).searchParams.get('error'), 'access_denied')
    const grants = context.database.selectFrom('oauthGrants').selectAll().where('userId', '=', user.id)
    assert.deepEqual(await grants.execute(), [])
  })
})
