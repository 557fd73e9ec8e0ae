import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type DatabaseProxy, startDatabaseProxy } from '../../../test/support/database-proxy.ts'
import type { TestDatabase } from '../../../test/support/postgres.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { until } from '../../../test/support/until.ts'
import { type OpenDatabase, openDatabase } from './open.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

/** A dead server is detected within 2 s. The rest is for a busy machine. */
const FOUND_MILLISECONDS = 5_000

describe('DeadlinePool', () => {
  let testDatabase: TestDatabase
  let proxy: DatabaseProxy
  let opened: OpenDatabase

  before(async () => {
    testDatabase = await createTestDatabase('postgres')
    proxy = await startDatabaseProxy(testDatabase.url)
    opened = openDatabase({ engine: 'postgres', url: proxy.url }, () => {}, 'service')
  })
  after(async () => {
    await opened?.close()
    await proxy?.close()
    await testDatabase?.drop()
  })

  const sleep = (seconds: number) => sql`select pg_sleep(${sql.lit(seconds)})`

  test('A slow read fails within 2 s when the server is dead', async () => {
    await sleep(0).execute(opened.slowReads)
    const running = sleep(9).execute(opened.slowReads)
    proxy.set('black hole')
    const startedAt = performance.now()
    await assert.rejects(running, isUnavailable)
    assert.ok(performance.now() - startedAt < FOUND_MILLISECONDS)
    proxy.set('open')
    await until(
      () =>
        sleep(0)
          .execute(opened.slowReads)
          .then(
            () => true,
            () => false,
          ),
      'the connections are replaced',
    )
  })

  test('The loss of an idle connection is reported once, without the client', async (t) => {
    const lost: [message: string, hasClient: boolean][] = []
    const report = (error: Error) => lost.push([error.message, 'client' in error])
    const other = openDatabase({ engine: 'postgres', url: testDatabase.url }, report, 'command')
    t.after(() => other.close())
    const { rows } = await sql<{ id: number }>`select pg_backend_pid() as id`.execute(other.database)
    await sql`select pg_terminate_backend(${rows[0]?.id})`.execute(opened.database)
    await until(() => lost.length > 0, 'the loss is reported')
    await sleep(0).execute(other.database)
    assert.deepEqual(lost, [['terminating connection due to administrator command', false]])
  })

  test('The short waits of a request share one limit', async () => {
    let finished = 0
    const waits = withTimeBudget(newTimeBudget(1_000), async () => {
      for (; finished < 20; finished += 1) await sleep(0.2).execute(opened.database)
    })
    await assert.rejects(waits, isUnavailable)
    assert.ok(finished < 6, `${finished} waits`)
  })

  test('After a statement got no answer, no pool waits for its idle connections', async () => {
    await Promise.all([sleep(0).execute(opened.database), sleep(0).execute(opened.background)])
    proxy.set('black hole')
    await assert.rejects(sleep(0).execute(opened.background), isUnavailable)
    proxy.set('open')
    await sleep(0).execute(opened.database)
  })

  test('Statements of requests are prepared, and not those of background work and long lists', async () => {
    const { database, background, slowReads } = opened
    for (const [repeating, isPrepared] of [
      [database, true],
      [background, false],
      [slowReads, false],
    ] as const) {
      await repeating.transaction().execute(async (transaction) => {
        for (let count = 0; count < 20; count += 1) await sql`select ${count}::integer`.execute(transaction)
        const { rows } = await sql`select from pg_prepared_statements`.execute(transaction)
        assert.equal(rows.length > 0, isPrepared)
      })
    }
  })

  test('A late transaction is rolled back, and its connection is destroyed', async () => {
    await sql`create table given_up (id integer)`.execute(opened.background)
    const transaction = withTimeBudget(newTimeBudget(500), () =>
      opened.database.transaction().execute(async (given) => {
        await sql`insert into given_up values (1)`.execute(given)
        await sleep(9).execute(given)
      }),
    )
    await assert.rejects(transaction, isUnavailable)
    const { rows } = await sql<{ inside: boolean }>`
      select exists (select from given_up) or pg_current_xact_id_if_assigned() is not null as inside`.execute(
      opened.database,
    )
    assert.deepEqual(rows, [{ inside: false }])
  })

  test('A transaction fails with the error that destroyed its connection', async () => {
    const transaction = opened.database.transaction().execute(async (given) => {
      await sql`set transaction read only`.execute(given)
      await sql`create table refused (id integer)`.execute(given)
    })
    await assert.rejects(transaction, { code: '25006', message: /read-only transaction/ })
  })
})
