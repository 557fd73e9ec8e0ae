import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type DatabaseProxy, startDatabaseProxy } from '../../../test/support/database-proxy.ts'
import type { TestDatabase } from '../../../test/support/postgres.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { until } from '../../../test/support/until.ts'
import { compileOnce, RESULT_UNUSED } from './compile-once.ts'
import { openForService } from './postgres.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

/**
 * More than the statements of one transaction that may be unanswered, and more uses than a statement needs for a name.
 */
const MANY = 20

describe('PostgresTransaction', () => {
  let testDatabase: TestDatabase
  let proxy: DatabaseProxy
  let hosts: PostgresHosts
  let opened: ReturnType<typeof openForService>

  before(async () => {
    testDatabase = await createTestDatabase('postgres')
    proxy = await startDatabaseProxy(testDatabase.url)
    hosts = new PostgresHosts(proxy.url)
    opened = openForService({ hosts, onConnectionLost: () => {} }, {})
    await sql`create table notes (id integer primary key)`.execute(opened.database)
    await sql`create table counts (id integer primary key, value integer)`.execute(opened.database)
    await sql`insert into counts values (1, 0), (2, 0)`.execute(opened.database)
  })
  after(async () => {
    await opened?.close()
    await proxy?.close()
    await testDatabase?.drop()
  })

  /** @param columns tells the statements apart, because PostgreSQL prepares each text once */
  const createInsert = (columns: string) =>
    compileOnce(
      (_database, { id }: { id: unknown }) => sql<never>`insert into notes ${sql.raw(columns)} values (${id})`,
      RESULT_UNUSED,
    )
  const insertUnread = createInsert('')
  const countUnread = compileOnce(
    (_database, { id }: { id: number }) => sql<never>`update counts set value = value + 1 where id = ${id}`,
    RESULT_UNUSED,
  )
  const begin = () => opened.database.transaction()
  const lookUp = () => opened.database.selectNoFrom(sql<number>`1`.as('one')).compile()

  async function storedIds(): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`delete from notes returning id`.execute(opened.database)
    return rows.map(({ id }) => id).toSorted((one, other) => one - other)
  }

  /** @returns the function that unlocks the row */
  async function lockCount(t: TestContext, id: number): Promise<() => Promise<void>> {
    const client = new pg.Client(testDatabase.url)
    // Otherwise, after a failed test, the other tests would wait for the row.
    t.after(() => client.end())
    await client.connect()
    await client.query('begin')
    await client.query('select from counts where id = $1 for update', [id])
    return () => client.end()
  }

  /** The connections in a statement or in a transaction. */
  async function countBusy(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(opened.background)
    return rows[0]?.count ?? 0
  }

  test('The commit waits for the answers to all changes, although the caller reads none of them', async () => {
    const ids = Array.from({ length: MANY }, (_nothing, id) => id)
    await begin().execute(async (transaction) => {
      for (const id of ids) assert.deepEqual(await insertUnread(transaction, { id }), [])
    })
    assert.deepEqual(await storedIds(), ids)
  })

  test('At most eight statements are unanswered', async (t) => {
    const unlock = await lockCount(t, 1)
    const { mock } = t.mock.method(pg.Client.prototype, 'query')
    const countSent = () => mock.calls.filter((call) => JSON.stringify(call.arguments).includes('update counts')).length
    const transaction = begin().execute(async (given) => {
      for (let count = 0; count < MANY; count += 1) await countUnread(given, { id: 1 })
      throw new Error('The caller has changed its mind')
    })
    const rejected = assert.rejects(transaction, /changed its mind/)
    // A statement that need not wait is sent in the same turn as the one before it.
    await until(() => countSent() > 0, 'a change is sent')
    assert.ok(countSent() <= 8, `${countSent()} statements`)
    await unlock()
    await rejected
    assert.equal(countSent(), MANY)
  })

  test('A look-up sees the changes that were sent before it', async () => {
    const rows = await begin().execute(async (transaction) => {
      await insertUnread(transaction, { id: 1 })
      return (await sql<{ id: number }>`select id from notes`.execute(transaction)).rows
    })
    assert.deepEqual(rows, [{ id: 1 }])
    assert.deepEqual(await storedIds(), [1])
  })

  test('The error of a change whose answer the caller does not read fails the commit, and nothing is stored', async () => {
    const transaction = begin().execute(async (given) => {
      await insertUnread(given, { id: 1 })
      await insertUnread(given, { id: 1 })
    })
    await assert.rejects(transaction, { code: '23505' })
    assert.deepEqual(await storedIds(), [])
  })

  test('The error of a change whose answer the caller does not read is thrown by the next statement', async () => {
    let isLookedUp = false
    const transaction = begin().execute(async (given) => {
      await insertUnread(given, { id: 1 })
      await insertUnread(given, { id: 1 })
      await insertUnread(given, { id: 2 })
      await given.executeQuery(lookUp())
      isLookedUp = true
    })
    await assert.rejects(transaction, { code: '23505' })
    assert.equal(isLookedUp, false)
    assert.deepEqual(await storedIds(), [])
  })

  test('An error of the caller rolls the changes back', async () => {
    const transaction = begin().execute(async (given) => {
      await insertUnread(given, { id: 1 })
      throw new Error('The caller has changed its mind')
    })
    await assert.rejects(transaction, /changed its mind/)
    assert.deepEqual(await storedIds(), [])
  })

  test('A transaction is not committed without a change that could not be sent', async () => {
    // A statement of this test alone: pg deletes it on the server, but would continue to use it.
    const insertUnsendable = createInsert('("id")')
    const unsendable = {
      toPostgres() {
        throw new Error('This value has no text')
      },
    }
    const transaction = begin().execute(async (given) => {
      await insertUnread(given, { id: 1 })
      await insertUnsendable(given, { id: unsendable })
      await given.executeQuery(lookUp()).catch(() => {})
    })
    await assert.rejects(transaction, /has no text/)
    assert.deepEqual(await storedIds(), [])
  })

  test('A change is not sent before the transaction has begun', async () => {
    // PostgreSQL has no such level, so BEGIN fails.
    const transaction = begin()
      .setIsolationLevel('snapshot')
      .execute((given) => insertUnread(given, { id: 1 }))
    await assert.rejects(transaction, { code: '42601' })
    assert.deepEqual(await storedIds(), [])
  })

  test('A look-up in a transaction that could not begin fails with the error of BEGIN', async () => {
    const transaction = begin()
      .setIsolationLevel('snapshot')
      .execute((given) => given.executeQuery(lookUp()))
    await assert.rejects(transaction, { code: '42601' })
  })

  test('A statement that failed before PostgreSQL prepared it can be used again on the same connection', async () => {
    const insertOften = createInsert('(id)')
    for (let id = 0; id < MANY; id += 1) {
      const failing = begin().execute(async (given) => {
        await insertUnread(given, { id: 1 })
        await insertUnread(given, { id: 1 })
        await insertOften(given, { id: 2 })
      })
      await assert.rejects(failing, { code: '23505' })
    }
    await begin().execute((given) => insertOften(given, { id: 3 }))
    assert.deepEqual(await storedIds(), [3])
  })

  test('A transaction that is given up is not committed, and the server does not count as dead', async (t) => {
    const rows = [await lockCount(t, 1), await lockCount(t, 2)]
    const silentAt = hosts.silentAt
    // Each wait is below the limits of the server. Together they are longer than the limit of the request.
    const unlocking = pause(1_000)
      .then(rows[0])
      .then(() => pause(950))
      .then(rows[1])
    const transaction = withTimeBudget(newTimeBudget(), () =>
      begin().execute(async (given) => {
        await countUnread(given, { id: 1 })
        await countUnread(given, { id: 2 })
      }),
    )
    await assert.rejects(transaction, isUnavailable)
    await unlocking
    await until(async () => (await countBusy()) === 0, 'the server has ended the transaction')
    const { rows: counts } = await sql`select value from counts where value > 0`.execute(opened.database)
    assert.deepEqual(counts, [])
    assert.equal(hosts.silentAt, silentAt)
  })

  test('A transaction fails in time when the server does not answer to what was sent', async () => {
    const transaction = withTimeBudget(newTimeBudget(), () =>
      begin().execute(async (given) => {
        await given.executeQuery(lookUp())
        proxy.set('black hole')
        await insertUnread(given, { id: 1 })
        await insertUnread(given, { id: 2 })
      }),
    )
    await assert.rejects(transaction, isUnavailable)
    proxy.set('open')
    assert.deepEqual(await storedIds(), [])
  })
})
