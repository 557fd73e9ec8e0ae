import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'
import { confirmCredentials } from './confirm-credentials.ts'
import { insertUnconfirmed } from './unconfirmed-store.ts'

test('A confirmation does not enable an API key that its owner changes concurrently', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { context, config } = service
  assert.ok(config.database.engine === 'postgres')
  const { database } = context
  const { body } = await (await administratorWithOrganization(service)).client.post('/api/auth/api-key/create', {
    name: 'Payroll',
  })
  await database.updateTable('apiKeys').set({ enabled: 0, updatedAt: 1 }).execute()
  await insertUnconfirmed(database, [body.id], 1)
  const commit = await holdTransaction(t, config.database.url, `update "apiKeys" set "updatedAt" = 2`)
  const confirming = confirmCredentials(context, 'all')
  await until(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database)
    return rows.length === 1
  }, 'the confirmation waits')
  commit()
  assert.deepEqual(await confirming, [])
  const [key] = await database.selectFrom('apiKeys').select('enabled').execute()
  assert.equal(key?.enabled, 0)
})
