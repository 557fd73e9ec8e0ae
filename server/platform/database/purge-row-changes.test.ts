import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { deleteOldRowChanges } from './purge-row-changes.ts'

const PURGE_MILLISECONDS = 10 * 60_000

test('A purge deletes the change rows of transactions that had ended before the last purge', async (t) => {
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
        select not exists (
          select from "rowChanges" where "transactionId" >= pg_snapshot_xmin(pg_current_snapshot())
        ) as "isOver"`.execute(database)
      return rows[0]?.isOver ?? true
    }, 'the transactions of other tests have ended')
  let now = service.context.now()
  const purge = (limit = 100) => {
    now += PURGE_MILLISECONDS
    return deleteOldRowChanges(database, now, limit)
  }
  await sql`truncate "rowChanges"`.execute(database)

  for (const key of ['1', '2', '3']) await addRow(key)
  await othersEnded()
  assert.equal(await purge(), 0, 'chooses what the next purge deletes')
  await addRow('4')
  assert.equal(await purge(), 0, 'tells the processes first')
  assert.equal(await deleteOldRowChanges(database, now, 2), 2, 'the limit')
  assert.deepEqual(await listKeys(), ['3', '4'])
  assert.equal(await deleteOldRowChanges(database, now, 2), 1)
  assert.deepEqual(await listKeys(), ['4'])
  assert.equal(await deleteOldRowChanges(database, now, 2), 0, 'another process within the same ten minutes')

  await othersEnded()
  await database.transaction().execute(async (transaction) => {
    await sql`insert into "rowChanges" ("tableName", "key") values ('users', 'late')`.execute(transaction)
    for (const key of ['5', '6']) await addRow(key)
    for (let count = 0; count < 3; count += 1) await purge()
    assert.deepEqual(await listKeys(), ['5', '6'], 'rows that are later than a running transaction stay')
  })
  assert.deepEqual(await listKeys(), ['late', '5', '6'])
})

test('A purge skips the change rows that a concurrent purge has locked', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database, config, now } = service.context
  await sql`truncate "rowChanges"`.execute(database)
  for (const key of ['1', '2'])
    await sql`insert into "rowChanges" values ('9000000000000', 'users', ${key})`.execute(database)
  if (config.database.engine !== 'postgres') throw new Error('This is about PostgreSQL')
  const commit = await holdTransaction(t, config.database.url, `delete from "rowChanges" where "key" = '1'`)
  assert.equal(await deleteOldRowChanges(database, now(), 100), 1)
  await commit()
  assert.equal(await deleteOldRowChanges(database, now(), 100), 0)
})

test('A purge deletes change rows that are from a dump of another server', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database } = service.context
  await sql`truncate "rowChanges"`.execute(database)
  await sql`insert into "rowChanges" ("tableName", "key") values ('users', 'own')`.execute(database)
  await sql`insert into "rowChanges" values ('9000000000000', 'users', 'foreign')`.execute(database)
  assert.equal(await deleteOldRowChanges(database, service.context.now(), 100), 1)
  const { rows } = await sql<{ key: string }>`select key from "rowChanges"`.execute(database)
  assert.deepEqual(rows, [{ key: 'own' }])
})

test('A purge by a process whose clock was a year ahead does not stop the purges of other processes', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database, now } = service.context
  await deleteOldRowChanges(database, now() + 365 * 86_400_000, 100)
  await deleteOldRowChanges(database, now(), 100)
  const { rows } = await sql<{ purgedAt: number }>`select "purgedAt" from "rowChangePurges"`.execute(database)
  assert.ok(rows.every(({ purgedAt }) => purgedAt <= now()))
  assert.equal(rows.length, 1)
})
