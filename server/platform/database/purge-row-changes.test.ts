import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { deleteOldRowChanges } from './purge-row-changes.ts'

test('Old change rows are purged up to the oldest transaction that still runs, and the newest old row stays', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database } = service.context
  const addRow = (key: string) =>
    sql`insert into "rowChanges" ("tableName", "key") values ('users', ${key})`.execute(database)
  const listKeys = async () =>
    (await sql<{ key: string }>`select key from "rowChanges" order by "transactionId"`.execute(database)).rows.map(
      ({ key }) => key,
    )
  /** Other tests run transactions in other databases of the server, and a snapshot contains those too. */
  const othersEnded = () =>
    until(async () => {
      const { rows } = await sql<{ isOver: boolean }>`
        select coalesce(max("transactionId") < pg_snapshot_xmin(pg_current_snapshot()), true) as "isOver"
        from "rowChanges"`.execute(database)
      return rows[0]?.isOver ?? false
    }, 'the transactions of other tests have ended')
  const age = () => sql`update "rowChanges" set "changedAt" = 0`.execute(database)
  await sql`delete from "rowChanges"`.execute(database)

  for (const key of ['1', '2', '3']) await addRow(key)
  assert.equal(await deleteOldRowChanges(database, 0, 100), 0, 'every row is new')
  await age()
  await othersEnded()
  assert.equal(await deleteOldRowChanges(database, 0, 1), 1, 'the limit')
  assert.deepEqual(await listKeys(), ['2', '3'])
  assert.equal(await deleteOldRowChanges(database, 0, 100), 1)
  assert.deepEqual(await listKeys(), ['3'], 'the newest old row stays')

  await addRow('4')
  await othersEnded()
  await database.transaction().execute(async (transaction) => {
    await sql`insert into "rowChanges" ("tableName", "key") values ('users', 'late')`.execute(transaction)
    for (const key of ['5', '6']) await addRow(key)
    await age()
    await deleteOldRowChanges(database, 0, 100)
    assert.deepEqual(await listKeys(), ['4', '5', '6'], 'rows that are later than a running transaction stay')
  })
  assert.deepEqual(await listKeys(), ['4', 'late', '5', '6'])
})
