import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { COPY_STEPS } from './copy-steps.ts'

/** Tables that are filled by triggers, belong to one engine, or are of no use in a copy. */
const NOT_COPIED = [
  'copyState',
  // Limit counters live for minutes, and on SQLite in memory.
  'rateLimits',
  'writeTests',
  // The caches of processes on one PostgreSQL.
  'rowChanges',
  'rowChangeEpochs',
  'rowChangePurges',
  /^usersSearch/,
]

onEachDatabase('copy steps', (service, engine) => {
  test('Every table is copied, or is listed as not copied', async () => {
    const tables = (await service().context.database.introspection.getTables()).map(({ name }) => name)
    const isListed = (name: string) =>
      NOT_COPIED.some((other) => (other instanceof RegExp ? other.test(name) : other === name))
    const copied = new Set<string>(COPY_STEPS.map(({ table }) => table))
    assert.deepEqual(
      tables.filter((name) => !copied.has(name) && !isListed(name)),
      [],
      'add the new table to COPY_STEPS, or to NOT_COPIED with the reason',
    )
    assert.deepEqual(
      [...copied].filter((name) => !tables.includes(name)),
      [],
    )
  })

  // SQLite has the same keys.
  if (engine === 'postgres') {
    test('The key of each step is the primary key', async () => {
      const { rows } = await sql<{ table: string; column: string }>`
        select tc.table_name as "table", kcu.column_name as "column"
        from information_schema.table_constraints tc
        join information_schema.key_column_usage kcu using (constraint_name, table_schema, table_name)
        where tc.constraint_type = 'PRIMARY KEY' order by kcu.ordinal_position`.execute(service().context.database)
      for (const { table, key } of COPY_STEPS)
        assert.deepEqual(
          key,
          rows.filter((row) => row.table === table).map(({ column }) => column),
          table,
        )
    })
  }
})
