import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type CompiledQuery, sql } from 'kysely'
import { createMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { openDatabase } from './open.ts'
import { SqliteCheckpointer } from './sqlite-checkpointer.ts'
import { StatementCache } from './sqlite-statements.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'

const SQLITE_BUSY = 5

test('A request sees what another process commits while the same turn of the event loop handles an earlier one', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const { rowChanges, database, close } = openDatabase({ engine: 'sqlite', path }, () => {}, 'service')
  t.after(close)
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  await database.selectFrom('users').select('id').execute()
  const changes: (string | undefined)[] = []
  rowChanges.watch('users', 'id', (key) => changes.push(key))
  await rowChanges.catchUp()
  changes.length = 0

  const onReadable = (handle: () => void) => setImmediate(() => withTimeBudget(newTimeBudget(), handle))
  const later = Promise.withResolvers<void>()
  onReadable(() => void rowChanges.catchUp())
  setImmediate(() => other.exec(`insert into "writeTests" ("id", "count") values (1, 1)`))
  onReadable(() => later.resolve(rowChanges.catchUp()))
  await later.promise
  assert.deepEqual(changes, [undefined])
})

test('A reading of the commits waits for a locked file, as look-ups do', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const { rowChanges, close } = openDatabase({ engine: 'sqlite', path }, () => {}, 'service')
  t.after(close)
  const { run } = StatementCache.prototype
  let isLocked = true
  t.mock.method(StatementCache.prototype, 'run', function (this: StatementCache, query: CompiledQuery) {
    if (!isLocked || query.sql !== 'PRAGMA data_version') return run.call(this, query)
    isLocked = false
    throw Object.assign(new Error('database is locked'), { errcode: SQLITE_BUSY })
  })
  await rowChanges.catchUp()
  assert.equal(isLocked, false)
})

test('Caches see a commit also when what follows the commit fails', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const { rowChanges, database, close } = openDatabase({ engine: 'sqlite', path }, () => {}, 'service')
  t.after(close)
  await sql`insert into "writeTests" ("id", "count") values (1, 1)`.execute(database)
  const changes: (string | undefined)[] = []
  rowChanges.watch('writeTests', 'id', (key) => changes.push(key))
  t.mock.method(SqliteCheckpointer.prototype, 'countCommit', () => {
    throw new Error('no checkpoint')
  })
  await assert.rejects(sql`delete from "writeTests"`.execute(database), /no checkpoint/)
  assert.equal(changes.length, 1)
})
