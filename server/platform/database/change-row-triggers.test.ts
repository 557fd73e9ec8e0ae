import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { query } from '../../../test/support/postgres.ts'
import { WATCHED_TABLES } from './change-row-triggers.ts'
import { openForService } from './postgres.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import type { RowEvent } from './row-changes.ts'

test('A watch of a table, a column or an event without a trigger is refused, because its cache would stay stale', async (t) => {
  const hosts = new PostgresHosts('postgres://ada@127.0.0.1:1/accounts')
  const { rowChanges, close } = openForService({ hosts, onConnectionLost: () => {} }, {})
  t.after(close)
  const watch = (table: string, keyColumn: string, events?: RowEvent[]) => () =>
    rowChanges.watch(table, keyColumn, () => {}, events)
  assert.throws(watch('apiKeys', 'id'), /No trigger writes change rows of apiKeys by id after update/)
  assert.throws(watch('sessions', 'id'), /No trigger writes change rows of sessions by id after update/)
  assert.throws(watch('users', 'id', ['update', 'insert']), /No trigger writes change rows of users by id after insert/)
  watch('signingKeys', 'id', ['insert'])()
})

test('The triggers of each watched table write the column that the caches watch', async (t) => {
  const { url, drop } = await createMigratedDatabase('postgres')
  t.after(drop)
  const rows = await query<{ source: string }>(
    url,
    `select prosrc as source from pg_proc where proname like '%\\_recordChanges'`,
  )
  const written = rows.map(({ source }) => /select '(\w+)', "(\w+)" from changed/.exec(source)?.slice(1))
  const watched = [...WATCHED_TABLES].map(([table, { keyColumn }]) => [table, keyColumn])
  assert.deepEqual(written.sort(), watched.sort())
})
