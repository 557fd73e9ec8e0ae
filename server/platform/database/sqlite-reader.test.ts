import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Kysely, sql } from 'kysely'
import { refuseThreads } from '../../../test/support/refuse-threads.ts'
import { type ReaderJob, SqliteReaderDialect } from './sqlite-reader.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

test('A query immediately after the failure of the reading thread is answered by a new thread', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-reader-'))
  const path = join(folder, 'accounts.db')
  const reader = new Kysely<unknown>({ dialect: new SqliteReaderDialect(path) })
  t.after(async () => {
    await reader.destroy()
    rmSync(folder, { recursive: true })
  })
  const query = sql`select 1 as one`
  await assert.rejects(query.execute(reader), DatabaseUnavailable, 'there is no file')
  new DatabaseSync(path).close()
  assert.deepEqual((await query.execute(reader)).rows, [{ one: 1 }])
})

test('While the system has no thread left, a query is refused as unavailable, and a later one is answered', async (t) => {
  const reader = openReader(t)
  const allow = refuseThreads(t)
  const query = sql`select 1 as one`
  await assert.rejects(query.execute(reader), DatabaseUnavailable)
  allow()
  assert.deepEqual((await query.execute(reader)).rows, [{ one: 1 }])
})

test('A read that waits for others until the time of its request is used up is refused, and never runs', async (t) => {
  const reader = openReader(t)
  const sent = t.mock.method(Worker.prototype, 'postMessage')
  let isSlowDone = false
  const slow = SLOW.execute(reader).then(() => {
    isSlowDone = true
  })
  const waiting = sql`select 2 as two`.execute(reader)
  await assert.rejects(
    withTimeBudget(newTimeBudget(1), () => sql`select 1 as one`.execute(reader)),
    (error: Error) => error instanceof DatabaseUnavailable && /did not answer within 1 ms/.test(error.message),
  )
  assert.equal(isSlowDone, false)
  await slow
  assert.deepEqual((await waiting).rows, [{ two: 2 }], 'without a request, a read waits for as long as it takes')
  const statements = sent.mock.calls.map(({ arguments: [job] }) => (job as ReaderJob).sql)
  assert.deepEqual(statements.slice(1), ['select 2 as two'])
})

test('A read that runs until the time of its request is used up is refused, and the next one is answered', async (t) => {
  const reader = openReader(t)
  const budget = newTimeBudget(1)
  await assert.rejects(
    withTimeBudget(budget, () => SLOW.execute(reader)),
    DatabaseUnavailable,
  )
  await assert.rejects(
    withTimeBudget(budget, () => sql`select 1 as one`.execute(reader)),
    /is used up/,
  )
  assert.deepEqual((await sql`select 1 as one`.execute(reader)).rows, [{ one: 1 }])
})

const SLOW = sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < 3000000)
  select count(*) from number`

function openReader(t: TestContext): Kysely<unknown> {
  const reader = new Kysely<unknown>({ dialect: new SqliteReaderDialect(':memory:') })
  t.after(() => reader.destroy())
  return reader
}
