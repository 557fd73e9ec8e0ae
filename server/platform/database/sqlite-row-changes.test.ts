import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type CompiledQuery, sql } from 'kysely'
import { createMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { openDatabase } from './open.ts'
import { SqliteCheckpointer } from './sqlite-checkpointer.ts'
import { StatementCache } from './sqlite-statements.ts'
import { newTimeBudget, REQUEST_MILLISECONDS, withTimeBudget } from './time-budget.ts'

const SQLITE_BUSY = 5

/** Refuses the first readings, as while another process locks the file. */
function lockReading(t: TestContext, times: number) {
  const { run } = StatementCache.prototype
  const refused = { count: 0 }
  t.mock.method(StatementCache.prototype, 'run', function (this: StatementCache, query: CompiledQuery) {
    if (refused.count === times || query.sql !== 'PRAGMA data_version') return run.call(this, query)
    refused.count += 1
    throw Object.assign(new Error('database is locked'), { errcode: SQLITE_BUSY })
  })
  return refused
}

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
  const refused = lockReading(t, 1)
  await rowChanges.catchUp()
  assert.equal(refused.count, 1)
})

test('A reading that waits for a locked file does not end with the time of one of its requests, and is subtracted from each', async (t) => {
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const { rowChanges, close } = openDatabase({ engine: 'sqlite', path }, () => {}, 'service')
  t.after(close)
  lockReading(t, 8)
  const budget = newTimeBudget()
  const late = assert.rejects(
    withTimeBudget(newTimeBudget(0.5), () => rowChanges.catchUp()),
    /time of this request for the database is used up/,
  )
  const short = assert.rejects(
    withTimeBudget(newTimeBudget(5), () => rowChanges.catchUp()),
    /did not answer within 5 ms/,
  )
  await withTimeBudget(budget, () => rowChanges.catchUp())
  await Promise.all([late, short])
  // The pauses are 1, 2, 4, 8, 16, 32 and 50 ms.
  assert.ok(budget.leftMilliseconds < REQUEST_MILLISECONDS - 100, String(budget.leftMilliseconds))
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
