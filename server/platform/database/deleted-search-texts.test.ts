import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migration.ts'
import { openDatabase } from './open.ts'
import type { Tables } from './tables.ts'

/** No other user has these letters, so the index has these trigrams of the name and the email address in full. */
const TRACES = ['zor', 'qux', 'vim', 'jkw']
const FORMER = { id: 'usr_former', name: 'Zora Qux', email: 'vim@jkw.test' }

test('The search index of SQLite has no trace of a deleted user, nor of a former name and email address', async (t) => {
  const database = await openMigrated(t)
  for (const end of [() => deleteUser(database), () => renameUser(database)]) {
    await insertUsers(database, 1, 300)
    await insertUser(database, FORMER)
    await insertUsers(database, 301, 340)
    assert.deepEqual(await findTraces(database), TRACES)
    await end()
    assert.deepEqual(await findTraces(database), [])
    await assertIntact(database)
    await database.deleteFrom('users').execute()
  }
})

test('Migration 0039 removes from the search index the traces of users who were deleted before', async (t) => {
  const database = await openMigrated(t, '0039')
  await insertUsers(database, 1, 300)
  await insertUser(database, FORMER)
  await insertUsers(database, 301, 340)
  await deleteUser(database)
  assert.deepEqual(await findTraces(database), TRACES)
  await migrate(database)
  assert.deepEqual(await findTraces(database), [])
  await assertIntact(database)
  const { rows } = await sql`select rowid from "usersSearch" where "usersSearch" match '"ada7@"'`.execute(database)
  assert.equal(rows.length, 1)
})

/** @param before a number of migrations: only those before it are applied */
async function openMigrated(t: TestContext, before = '9999'): Promise<Kysely<Tables>> {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const { database, close } = openDatabase(
    { engine: 'sqlite', path: testDatabase.url.slice('sqlite:'.length) },
    () => {},
  )
  t.after(close)
  await migrate(database, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < before)))
  return database
}

async function insertUsers(database: Kysely<Tables>, first: number, last: number): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for (let number = first; number <= last; number += 1)
      await insertUser(transaction, { id: `usr_${number}`, name: `Ada ${number}`, email: `ada${number}@example.com` })
  })
}

async function insertUser(database: Kysely<Tables>, user: typeof FORMER): Promise<void> {
  const row = { ...user, emailVerified: 1, role: 'user', banned: 0, createdAt: 1, updatedAt: 1, properties: '{}' }
  await database
    .insertInto('users')
    .values(row as never)
    .execute()
}

async function deleteUser(database: Kysely<Tables>): Promise<void> {
  await database.deleteFrom('users').where('id', '=', FORMER.id).execute()
}

async function renameUser(database: Kysely<Tables>): Promise<void> {
  const change = { name: 'Ada', email: 'ada@example.com' }
  await database.updateTable('users').set(change).where('id', '=', FORMER.id).execute()
}

/** Reads the stored blocks, because a search leaves out what is only marked as deleted. */
async function findTraces(database: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ block: Uint8Array }>`select block from "usersSearch_data"`.execute(database)
  const stored = Buffer.concat(rows.map(({ block }) => block)).toString('latin1')
  return TRACES.filter((trigram) => stored.includes(trigram))
}

async function assertIntact(database: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database)
  assert.deepEqual(
    rows.map(({ integrity_check }) => integrity_check),
    ['ok'],
  )
}
