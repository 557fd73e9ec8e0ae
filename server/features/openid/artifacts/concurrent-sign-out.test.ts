import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refreshTokenGrant } from 'openid-client'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { createTestApp, signInTo } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { member, owner } from '../../../../test/support/users.ts'

onEachDatabase('refresh during a sign-out', (service) => {
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
})
