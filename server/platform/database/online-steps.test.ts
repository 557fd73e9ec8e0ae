import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { openEmptyDatabases } from '../../../test/support/empty-database.ts'
import { holdTransaction } from '../../../test/support/hold-transaction.ts'
import type { Engine } from '../../../test/support/test-database.ts'
import { until } from '../../../test/support/until.ts'
import { migrate } from './migrate.ts'
import type { Migrations } from './migration.ts'
import type { Tables } from './tables.ts'

const ROWS = 2_500

const THINGS: Migrations = {
  '0001-things': {
    kind: 'expand',
    async up({ schema }) {
      await schema
        .createTable('things')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('size', 'integer')
        .execute()
    },
  },
}

const ONLINE: Migrations = {
  ...THINGS,
  '0002-sizes': {
    kind: 'expand',
    async online({ createIndex, backfill }) {
      await backfill({ table: 'things', key: 'id', pending: sql`size is null`, set: sql`set size = length(id)` })
      await createIndex('things_Size', sql`on things (size)`)
    },
  },
  '0003-names': {
    kind: 'expand',
    up: ({ schema }) => schema.alterTable('things').addColumn('name', 'text').execute(),
  },
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`An online migration changes every row and builds its index, between two quick ones (${engine})`, async (t) => {
    const { database, sizes } = await prepare(t, engine)
    const lines: string[] = []
    assert.deepEqual(await migrate(database, ONLINE, (line) => lines.push(line)), ['0002-sizes', '0003-names'])
    assert.deepEqual(await sizes(), { all: ROWS, pending: 0 })
    const [index] = (await database.introspection.getTables()).filter(({ name }) => name === 'things')
    assert.deepEqual(
      index?.columns.map(({ name }) => name),
      ['id', 'size', 'name'],
    )
    assert.ok(lines.some((line) => line.startsWith('Migration 0002-sizes, rows of things')))
    assert.ok(lines.some((line) => line.startsWith('Migration 0002-sizes, index things_Size')))
    assert.ok(await hasIndex(database, engine))
  })
}

test('A failed online migration keeps its batches and the migrations before it, and goes on at the next call', async (t) => {
  const { database, sizes } = await prepare(t, 'postgres')
  await sql`insert into things values ('000-a', 1), ('000-b', 1)`.execute(database)
  const broken: Migrations = {
    ...ONLINE,
    '0002-sizes': {
      kind: 'expand',
      async online(steps) {
        await ONLINE['0002-sizes']?.online?.(steps)
        await steps.createIndex('things_bad', sql`on things ((1 / (size - 1)))`)
      },
    },
  }
  await assert.rejects(migrate(database, broken), /0002-sizes failed, and goes on at the next start: division by zero/)
  assert.deepEqual(await sizes(), { all: ROWS + 2, pending: 0 })
  await sql`delete from things where size = 1`.execute(database)
  // The failed build left an invalid index of this name.
  assert.deepEqual(await migrate(database, broken), ['0002-sizes', '0003-names'])
  const { rows } = await sql`select from pg_index where not indisvalid`.execute(database)
  assert.equal(rows.length, 0)
})

test('A backfill leaves out rows that a request has locked, and changes them later', async (t) => {
  const { url, database, sizes } = await prepare(t, 'postgres')
  const release = await holdTransaction(t, url, 'select from things order by id limit 3 for update')
  const migrating = migrate(database, ONLINE)
  await until(async () => (await sizes()).pending === 3, 'all other rows are changed')
  release()
  await migrating
  assert.deepEqual(await sizes(), { all: ROWS, pending: 0 })
})

test('A backfill ends although pending rows are inserted all the time', async (t) => {
  const { database, other } = await prepare(t, 'postgres')
  let isDone = false
  const migrating = migrate(database, ONLINE).finally(() => {
    isDone = true
  })
  let inserted = 0
  for (; !isDone; inserted += 1) await sql`insert into things (id) values (${`z${inserted}`})`.execute(other)
  await migrating
  assert.ok(inserted > 0)
})

test('A backfill reads the whole table once, not once for each batch', async (t) => {
  const { database, other } = await prepare(t, 'postgres')
  await sql`insert into things (id) select 'more ' || n from generate_series(1, 20000) n`.execute(database)
  await sql`analyze things`.execute(database)
  const tableReads = async () => {
    const { rows } = await sql<{ updated: number; seq_scan: number }>`
      select n_tup_upd as updated, seq_scan from pg_stat_user_tables where relname = 'things'`.execute(other)
    return rows[0] ?? assert.fail('there are no statistics')
  }
  await migrate(database, { ...THINGS, '0002-sizes': ONLINE['0002-sizes']! })
  // A connection reports what it did at its end.
  await database.destroy()
  await until(async () => (await tableReads()).updated === ROWS + 20_000, 'the statistics contain the backfill')
  const { seq_scan: count } = await tableReads()
  assert.ok(count < 10, `the table was read ${count} times`)
})

test('A quick migration that waits for a table lets requests pass, and is applied when the table is free', async (t) => {
  const { url, database, other } = await prepare(t, 'postgres')
  const release = await holdTransaction(t, url, 'select from things limit 1')
  const lines: string[] = []
  const limits = new Set<string | undefined>()
  const names: Migrations[string] = {
    kind: 'expand',
    async up(transaction) {
      const { rows } = await sql<{ lock_timeout: string }>`show lock_timeout`.execute(transaction)
      limits.add(rows[0]?.lock_timeout)
      await ONLINE['0003-names']?.up?.(transaction)
    },
  }
  const migrating = migrate(database, { ...THINGS, '0003-names': names }, (line) => lines.push(line))
  const isRetrying = () => lines.filter((line) => line.includes('trying again')).length >= 2
  while (!isRetrying()) await sql`update things set size = 1 where id = '1'`.execute(other)
  assert.match(lines.join('\n'), /Migration 0003-names failed, and nothing was changed: .*lock timeout/)
  // Requests wait behind the migration, for at most 1.2 s.
  assert.deepEqual([...limits], ['500ms'])
  release()
  assert.deepEqual(await migrating, ['0003-names'])
})

test('migrate says which migrations the database has when one fails after a long one', async (t) => {
  const { database } = await prepare(t, 'postgres')
  const failing: Migrations = { '0003-broken': { up: () => Promise.reject(new Error('disk on fire')) } }
  await assert.rejects(
    migrate(database, { ...THINGS, '0002-sizes': ONLINE['0002-sizes']!, ...failing }),
    /Migration 0003-broken failed, and the database has 0002-sizes now: disk on fire/,
  )
})

test('A process that waits for the migration of another one says so, and does not stop its concurrent index', async (t) => {
  const { url, database, other } = await prepare(t, 'postgres')
  // The build waits for this transaction, so that the other process starts during the build.
  const release = await holdTransaction(t, url, "insert into things values ('held', 4)")
  const first = migrate(database, ONLINE)
  await until(async () => (await countIndexes(other)) === 2, 'the build has begun')
  const lines: string[] = []
  const second = migrate(other, ONLINE, (line) => lines.push(line))
  await until(() => lines.length > 0, 'the second process waits')
  assert.deepEqual(lines, ['Another process is migrating the database. This one waits for it.'])
  release()
  assert.deepEqual(await first, ['0002-sizes', '0003-names'])
  assert.deepEqual(await second, [])
})

async function prepare(t: TestContext, engine: Engine) {
  const { url, databases } = await openEmptyDatabases(t, engine, 2)
  const [database, other] = databases
  if (!database || !other) throw new Error('No database was opened')
  await migrate(database, THINGS)
  await sql`insert into things (id)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(ROWS)})
    select n from numbers`.execute(database)
  const sizes = async () => {
    const { rows } = await sql<{ all: number; pending: number }>`
      select count(*) as "all", count(*) - count(size) as pending from things`.execute(other)
    return { ...rows[0] }
  }
  return { url, database, other, sizes }
}

async function hasIndex(database: Kysely<Tables>, engine: Engine): Promise<boolean> {
  const { rows } = await (engine === 'sqlite'
    ? sql`select 1 from sqlite_schema where name = 'things_Size'`
    : sql`select 1 from pg_index where indexrelid = to_regclass('"things_Size"') and indisvalid`
  ).execute(database)
  return rows.length === 1
}

async function countIndexes(database: Kysely<Tables>): Promise<number> {
  const { rows } = await sql`select from pg_index where indrelid = 'things'::regclass`.execute(database)
  return rows.length
}
