import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createChainer, linkNewEvents } from '../../server/core/audit/chain.ts'
import { recordEvents } from '../../server/core/audit/record-event.ts'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { seedUsers } from '../../server/core/users/seed-users.ts'
import { listSecurityEvents } from '../../server/features/account/security-events/list-security-events.ts'
import { createLogOutDelivery } from '../../server/features/openid/log-outs/delivery.ts'
import { liftExpiredBans } from '../../server/features/staff/bans/lift-expired-bans.ts'
import { listImpersonations } from '../../server/features/staff/impersonation/list-impersonations.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { maintain } from '../../server/maintenance.ts'
import { parseSmtpUrl } from '../../server/platform/config/smtp-server.ts'
import { createKeyring } from '../../server/platform/crypto/keyring.ts'
import { newToken } from '../../server/platform/crypto/tokens.ts'
import { createDelivery } from '../../server/platform/mail/delivery.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { sendTestEmail } from '../support/send-email.ts'
import { startService } from '../support/service.ts'
import { newMember } from '../support/users.ts'

/** The batch size of the chainer and of the expiry of bans. Maintenance has smaller batches. */
const BATCH_SIZE = 100
const BATCHES = 5
const REFUSALS_PER_BATCH = 500

/** Counts the turns of the event loop during the work. The service can answer requests in each turn. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await turn()
    turns += 1
  }
  await working
  return turns
}

test('Maintenance on SQLite lets requests pass after each batch', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  await context.database.transaction().execute(async (transaction) => {
    for (let count = 0; count < BATCHES * BATCH_SIZE; count += 1)
      await createToken(transaction, context, 'reset password', { userId: null, data: {} })
  })
  service.advance(2 * 3_600_000)
  assert.ok((await countTurns(() => maintain(context))) >= BATCHES)
  assert.equal((await context.database.selectFrom('singleUseTokens').select('id').execute()).length, 0)
})

test('Linking of audit events on SQLite lets requests pass after each batch', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  const events = Array.from({ length: BATCHES * BATCH_SIZE }, () => ({ action: 'user.updated' as const }))
  await recordEvents(context.database, context, OPERATOR, events)
  assert.ok((await countTurns(() => linkNewEvents(context))) >= BATCHES)
})

test('A stop during a backlog of audit events ends after the current batch, and the next start links the rest', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  const events = Array.from({ length: BATCHES * BATCH_SIZE }, () => ({ action: 'user.updated' as const }))
  await recordEvents(context.database, context, OPERATOR, events)
  const unlinked = context.database.selectFrom('auditEvents').select('id').where('sequence', 'is', null)
  // The signal aborts immediately, as after its second.
  const timeout = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort())
  const chainer = createChainer(context)
  chainer.start()
  await chainer.stop()
  assert.deepEqual(timeout.mock.calls[0]?.arguments, [1_000])
  assert.equal((await unlinked.execute()).length, (BATCHES - 1) * BATCH_SIZE)
  await linkNewEvents(context)
  assert.equal((await unlinked.execute()).length, 0)
})

test('Reads of the audit events of a user on SQLite leave the main thread, because a user may cause any number', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { id } = await newMember(service)
  const database = service.context.database.withPlugin({
    transformQuery({ node }) {
      assert.ok(!JSON.stringify(node).includes('auditEvents'), 'a query on the main thread')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const context = { ...service.context, database }
  assert.ok((await listSecurityEvents(context, id, { limit: 10, offset: 0 })).events.length > 0)
  assert.deepEqual(await listImpersonations(context, id), [])
})

test('Saving of refusals in a flood on SQLite lets requests pass after each batch', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { repeatedEvents, database } = service.context
  const count = BATCHES * REFUSALS_PER_BATCH
  for (let index = 0; index < count; index += 1)
    repeatedEvents.add(OPERATOR, { action: 'access.refused', details: { route: `/${index}` } })
  assert.ok((await countTurns(() => repeatedEvents.save())) >= BATCHES)
  const refusals = database.selectFrom('auditEvents').select('id').where('action', '=', 'access.refused')
  assert.equal((await refusals.execute()).length, count)
})

test('The expiry of bans on SQLite lets requests pass after each batch', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  await seedUsers(context, BATCHES * BATCH_SIZE, () => {})
  await context.database.updateTable('users').set({ banned: 1, banExpires: 1 }).execute()
  assert.ok((await countTurns(() => liftExpiredBans(context))) >= BATCHES)
  const banned = context.database.selectFrom('users').select('id').where('banned', '=', 1)
  assert.deepEqual(await banned.execute(), [])
})

test('Log-outs that a client wants no more, on SQLite, let requests pass after each batch', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  const { database } = context
  const { id: clientId } = await insertTestClient(service, { backchannel_logout_uri: 'https://app.example.com/' })
  await database.transaction().execute(async (transaction) => {
    for (let count = 0; count < 2_000; count += 1) {
      const ids = { id: newToken(context), sid: newToken(context), clientId, userId: 'usr_x' }
      await transaction.insertInto('oauthLogouts').values(ids).execute()
    }
  })
  // The client clears its address while the delivery is at work.
  const fetch = t.mock.fn(async () => {
    await database.updateTable('oauthClients').set({ backchannelLogoutUri: null }).execute()
    return new Response()
  })
  const delivery = createLogOutDelivery(context, { signingKeys: createSigningKeys(context), fetch })
  const waiting = database.selectFrom('oauthLogouts').select('id').where('settledAt', 'is', null)
  await delivery.deliverDue()
  assert.ok(fetch.mock.callCount() <= 3)
  assert.ok((await waiting.execute()).length > 1_900, 'the next poll drops them')
  assert.ok((await countTurns(() => delivery.deliverDue())) >= 80)
  assert.deepEqual(await waiting.execute(), [])
  await delivery.stop()
})

test("Emails that can't be decrypted, on SQLite, let requests pass after each email", async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  const unknown = { ...context, keyring: createKeyring('a secret that no process knows any more', context.randomBytes) }
  const message = { recipient: 'ada@example.com', subject: 'hello', heading: '', paragraphs: [], footnote: '' }
  for (let count = 0; count < 300; count += 1) await sendTestEmail(unknown, { kind: 'test email', ...message })
  const delivery = createDelivery(context, parseSmtpUrl('smtp://127.0.0.1:1'))
  const conversations = 5
  assert.ok((await countTurns(() => delivery.deliverDue())) >= 300 / conversations)
  await delivery.stop()
})
