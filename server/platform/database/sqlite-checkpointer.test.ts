import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Kysely, sql } from 'kysely'
import { SqliteDialect } from './sqlite.ts'

/** In the header of a -wal file: it increases each time the file is used from its beginning again. */
const SEQUENCE_OFFSET = 12
/** A quarter of the size from which on the writer would do it. */
const BYTES_MAXIMUM = 16 * 1024 * 1024

function openTemporary(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-checkpointer-'))
  const path = join(folder, 'accounts.db')
  const database = new Kysely<unknown>({ dialect: new SqliteDialect(path) })
  t.after(async () => {
    await database.destroy()
    rmSync(folder, { recursive: true })
  })
  return { path, wal: `${path}-wal`, database }
}

async function commitUntil(database: Kysely<unknown>, isDone: () => boolean): Promise<void> {
  await sql`create table if not exists numbers (number integer)`.execute(database)
  while (!isDone()) {
    await sql`insert into numbers values (1)`.execute(database)
    await turn()
  }
}

/** The file is used from its beginning after all of it was copied. */
function isCopied(wal: string): boolean {
  if (!existsSync(wal)) return false
  assert.ok(statSync(wal).size < BYTES_MAXIMUM, 'the -wal file grows')
  return readFileSync(wal).readUInt32BE(SEQUENCE_OFFSET) > 0
}

test('Another thread copies commits into the database before the -wal file is large, and the end leaves no such file', async (t) => {
  const { wal, database } = openTemporary(t)
  await commitUntil(database, () => isCopied(wal))
  await database.destroy()
  assert.equal(existsSync(wal), false)
})

test('A thread that has ended with an error is replaced', async (t) => {
  const { wal, database } = openTemporary(t)
  const fail = function (this: Worker) {
    this.emit('error', new Error('out of memory'))
    void this.terminate()
  }
  t.mock.method(Worker.prototype, 'postMessage', fail, { times: 1 })
  await commitUntil(database, () => isCopied(wal))
})

test('Without the thread, the writer copies commits when the -wal file has 64 MB', async (t) => {
  const { wal, database } = openTemporary(t)
  t.mock.method(Worker.prototype, 'postMessage', () => {})
  await sql`create table blobs (bytes blob)`.execute(database)
  const sizes: number[] = []
  while (readFileSync(wal).readUInt32BE(SEQUENCE_OFFSET) === 0) {
    sizes.push(statSync(wal).size)
    await sql`insert into blobs values (zeroblob(1000000))`.execute(database)
  }
  const largest = Math.max(...sizes)
  assert.ok(largest > 62e6 && largest < 72e6, `${largest} bytes`)
})
