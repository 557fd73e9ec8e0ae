import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createLogOutDelivery } from '../../server/features/openid/log-outs/delivery.ts'
import { createLogoutToken } from '../../server/features/openid/log-outs/logout-token.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { createGuardedFetch } from '../../server/platform/http/guarded-fetch.ts'
import { findSessionOf, insertTestClientSession } from '../support/client-sessions.ts'
import { startDocumentedService } from '../support/examples.ts'
import { getFreePort } from '../support/free-port.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { startService } from '../support/service.ts'
import { administrator } from '../support/users.ts'

test('The program in docs/log-out.md accepts the log-out of a session, and no token for another client', async (t) => {
  const accounts = await startService({ engine: 'sqlite' })
  t.after(() => accounts.stop())
  const PORT = String(await getFreePort())
  const uri = `http://localhost:${PORT}/log-out`
  const client = await insertTestClient(accounts, { backchannel_logout_uri: uri })
  const environment = { ACCOUNTS_URL: accounts.baseUrl, CLIENT_ID: client.id, PORT }
  const { lines, stop } = await startDocumentedService('log-out.md', environment)
  t.after(stop)

  const { context } = accounts
  const user = await administrator(accounts)
  const { id: sessionId, userId } = await findSessionOf(accounts, user)
  const sid = await insertTestClientSession(accounts, client, { sessionId, userId })
  const signingKeys = createSigningKeys(context)
  const forAnother = { id: '', sid, clientId: 'cli_another', userId, attempts: 0, leasedUntil: 0, firstAttemptAt: 0 }
  const token = await createLogoutToken(context, signingKeys, forAnother, 'RS256')
  const refused = await fetch(uri, { method: 'POST', body: new URLSearchParams({ logout_token: token }) })
  assert.equal(refused.status, 400)

  const ended = once(lines, 'line')
  await user.client.post('/api/auth/sign-out')
  await createLogOutDelivery(context, { signingKeys, fetch: createGuardedFetch(context.config) }).deliverDue()
  assert.deepEqual(await ended, [`ended ${sid}`])
  const { settledAt } = await context.database.selectFrom('oauthLogouts').selectAll().executeTakeFirstOrThrow()
  assert.ok(settledAt)
})
