import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMigratedDatabase } from '../../../../test/support/migrated-database.ts'
import { query } from '../../../../test/support/postgres.ts'
import { openDatabase } from '../open.ts'
import { withLockedPostgres } from './postgres-source.ts'

test('A move whose source has lost its lock is refused before its end', async (t) => {
  const { url, drop } = await createMigratedDatabase('postgres')
  t.after(drop)
  const { database, close } = openDatabase({ engine: 'postgres', url }, () => {})
  t.after(close)
  let isRefused = false
  const moving = withLockedPostgres(database, async (_locked, assertUnused) => {
    await assertUnused()
    await query(
      url,
      `select pg_terminate_backend(pid, 10000) from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and relation = 'users'::regclass`,
    )
    await assertUnused().catch((error: Error) => {
      isRefused = true
      throw error
    })
  })
  await assert.rejects(moving, /connection error|Connection terminated/)
  assert.ok(isRefused, 'the end of the move is not reached')
})
