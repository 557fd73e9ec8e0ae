import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { openDatabase } from './open.ts'
import type { Tables } from './tables.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { DatabaseUnavailable, isUnavailable } from './unavailable.ts'

test('After SQLite has rolled back a transaction, its next statement is refused and not committed', async (t) => {
  const { database, names } = await openNotes(t)
  const transaction = database.transaction().execute(async (unit) => {
    await insertNote(unit, 'before')
    // A full disk has the same effect.
    await sql`rollback`.execute(unit)
    await assert.rejects(insertNote(unit, 'after'), isUnavailable)
    throw new Error('the transaction ends')
  })
  await assert.rejects(transaction, /the transaction ends/)
  assert.deepEqual(await names(), [])
  await insertNote(database, 'later')
  assert.deepEqual(await names(), ['later'])
})

test('A transaction that SQLite has rolled back is not reported as committed', async (t) => {
  const { database, names } = await openNotes(t)
  const transaction = database.transaction().execute(async (unit) => {
    await insertNote(unit, 'before')
    await sql`rollback`.execute(unit)
  })
  await assert.rejects(transaction, isUnavailable)
  assert.deepEqual(await names(), [])
})

test('A write waits for another transaction of SQLite in the time of its request only, and later ones succeed', async (t) => {
  const { database, names } = await openNotes(t)
  await database.transaction().execute(async (unit) => {
    await insertNote(unit, 'first')
    const late = withTimeBudget(newTimeBudget(20), () => insertNote(database, 'late'))
    await assert.rejects(late, DatabaseUnavailable)
  })
  await Promise.all(['second', 'third', 'fourth'].map((name) => insertNote(database, name)))
  assert.deepEqual(await names(), ['first', 'second', 'third', 'fourth'])
})

async function openNotes(t: TestContext) {
  const { url, drop } = await createTestDatabase('sqlite')
  const { database, close } = openDatabase({ engine: 'sqlite', path: url.slice('sqlite:'.length) }, () => {})
  t.after(async () => {
    await close()
    await drop()
  })
  await sql`create table notes (name text)`.execute(database)
  const names = async () =>
    (await sql<{ name: string }>`select name from notes`.execute(database)).rows.map(({ name }) => name)
  return { database, names }
}

async function insertNote(database: Kysely<Tables>, name: string): Promise<void> {
  await sql`insert into notes values (${name})`.execute(database)
}
