import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startDatabaseProxy } from '../../../test/support/database-proxy.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { migrate } from './migrate.ts'
import { underMigrationLock } from './migration-lock.ts'
import { openDatabase } from './open.ts'

const IDLE_MILLISECONDS = 1_000

test('The migration lock of a machine that is lost ends, and another process gets it', async (t) => {
  const { proxy, open } = await prepare(t)
  const work = Promise.withResolvers<void>()
  const { reached, holder } = hold(open(proxy.url), () => work.promise)
  await reached
  proxy.set('black hole')
  assert.equal(await underMigrationLock(open(), async () => 'locked'), 'locked')
  proxy.cut()
  work.resolve()
  await assert.rejects(holder, /Connection terminated/)
})

test('An online migration keeps the lock during work that takes longer than the longest pause', async (t) => {
  const { open } = await prepare(t)
  // A busy machine may renew the lock late.
  const idleMilliseconds = 2 * IDLE_MILLISECONDS
  const online = async () => pause(2 * idleMilliseconds)
  const migrations = { '0001-long': { kind: 'expand', online } } as const
  assert.deepEqual(await migrate(open(), migrations, () => {}, idleMilliseconds), ['0001-long'])
})

async function prepare(t: TestContext) {
  const { url, drop } = await createTestDatabase('postgres')
  t.after(drop)
  const proxy = await startDatabaseProxy(url)
  t.after(() => proxy.close())
  const open = (address = url) => {
    const { database, close } = openDatabase({ engine: 'postgres', url: address }, () => {}, 'command')
    t.after(close)
    return database
  }
  return { proxy, open }
}

/** @returns `reached` when the lock is held */
function hold<T>(
  database: Parameters<typeof underMigrationLock>[0],
  work: Parameters<typeof underMigrationLock<T>>[1],
) {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const holder = underMigrationLock<T>(
    database,
    (transaction) => {
      resolve()
      return work(transaction)
    },
    undefined,
    IDLE_MILLISECONDS,
  )
  return { reached, holder }
}
