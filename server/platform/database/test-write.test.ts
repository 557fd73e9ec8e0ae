import { test } from 'node:test'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import { createMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { query } from '../../../test/support/postgres.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase } from './open.ts'

test('The test write of a readiness check succeeds while background work waits for a locked row', async (t) => {
  const { url, drop } = await createMigratedDatabase('postgres')
  t.after(drop)
  const { database, background, testWrite, close } = openDatabase({ engine: 'postgres', url }, () => {}, 'service')
  t.after(close)
  await database.insertInto('emailLimits').values({ key: 'ada@example.com', usedAt: 1 }).execute()
  const commit = await holdTransaction(t, url, `select from "emailLimits" for update`)
  const works = Array.from({ length: 2 }, () => background.updateTable('emailLimits').set({ usedAt: 2 }).execute())
  const ended = Promise.allSettled(works)
  await until(async () => (await countWaiting()) === 2, 'both connections wait')
  await testWrite()
  await commit()
  await ended

  async function countWaiting(): Promise<number> {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'update "emailLimits"%'`
    const rows = await query(url, waiting)
    return rows.length
  }
})

for (const processKind of ['service', 'command'] as const)
  test(`A ${processKind} that has only made a test write closes its connection, and may close it again`, async (t) => {
    const { url, drop } = await createMigratedDatabase('postgres')
    t.after(drop)
    const { testWrite, close } = openDatabase({ engine: 'postgres', url }, () => {}, processKind)
    await testWrite()
    await close()
    // The pool itself closes an idle connection after ten seconds.
    await until(async () => (await countConnections(url)) === 0, 'the connection is closed', 5)
    await close()
  })

async function countConnections(url: string): Promise<number> {
  const rows = await query(
    url,
    `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  return rows.length
}
