import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer } from '../../../../test/support/client.ts'
import { createTestApp, type TestApp } from '../../../../test/support/openid.ts'
import { askToken, newCodeForm, refusalOf } from '../../../../test/support/protocol.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { afterStatement } from '../../../../test/support/statements.ts'
import { introspect, refresh } from '../../../../test/support/token-requests.ts'
import { newMember } from '../../../../test/support/users.ts'

onEachDatabase('Codes and refresh tokens', (service) => {
  /** Sends a form in two requests. The second one has arrived when the first is sent, and looks up the code after it. */
  async function sendBeforeAnswer(t: TestContext, app: TestApp, form: Record<string, string>) {
    const send = () => askToken(service(), app, form)
    let first: Answer | undefined
    const step = async () => {
      first = await send()
    }
    const second = await afterStatement(t, service(), { matching: /from "oauthClients"/, step }, send)
    assert.equal(first?.status, 200, JSON.stringify(first?.body))
    return { first, second }
  }

  test('A request that arrives before the answer to another one with its code or refresh token is refused, and revokes nothing', async (t) => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const code = await newCodeForm(user, app)
    const redeemed = await sendBeforeAnswer(t, app, code)
    assert.deepEqual(refusalOf(redeemed.second), [400, 'invalid_grant'])
    assert.equal((await introspect(service(), app, redeemed.first.body.access_token)).body.active, true)

    const { refresh_token } = redeemed.first.body
    const refreshed = await sendBeforeAnswer(t, app, { grant_type: 'refresh_token', refresh_token })
    assert.deepEqual(refusalOf(refreshed.second), [400, 'invalid_grant'])
    const next = await refresh(service(), app, refreshed.first.body.refresh_token)
    assert.equal(next.status, 200, JSON.stringify(next.body))

    const events = service().context.database.selectFrom('auditEvents').select('action')
    const actions = (await events.where('subjectId', '=', user.id).execute()).map(({ action }) => action)
    for (const action of ['oauth-code.replayed', 'oauth-refresh.reused']) assert.ok(!actions.includes(action as never))
  })
})
