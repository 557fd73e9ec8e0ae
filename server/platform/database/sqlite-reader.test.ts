import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { refuseThreads } from '../../../test/support/refuse-threads.ts'
import { SqliteReaderDialect } from './sqlite-reader.ts'
import { DatabaseUnavailable } from './unavailable.ts'

test('A query immediately after the failure of the reading thread is answered by a new thread', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-reader-'))
  const path = join(folder, 'accounts.db')
  const reader = new Kysely<unknown>({ dialect: new SqliteReaderDialect(path) })
  t.after(async () => {
    await reader.destroy()
    rmSync(folder, { recursive: true })
  })
  const query = sql`select 1 as one`
  await assert.rejects(query.execute(reader), DatabaseUnavailable, 'there is no file')
  new DatabaseSync(path).close()
  assert.deepEqual((await query.execute(reader)).rows, [{ one: 1 }])
})

test('While the system has no thread left, a query is refused as unavailable, and a later one is answered', async (t) => {
  const reader = new Kysely<unknown>({ dialect: new SqliteReaderDialect(':memory:') })
  t.after(() => reader.destroy())
  const allow = refuseThreads(t)
  const query = sql`select 1 as one`
  await assert.rejects(query.execute(reader), DatabaseUnavailable)
  allow()
  assert.deepEqual((await query.execute(reader)).rows, [{ one: 1 }])
})
