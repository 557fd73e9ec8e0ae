import assert from 'node:assert/strict'
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Kysely, sql } from 'kysely'
import { refuseThreads } from '../../../test/support/refuse-threads.ts'
import { SqliteDialect } from './sqlite.ts'

/** In the header of a -wal file: it increases each time the file is used from its beginning again. */
const SEQUENCE_OFFSET = 12
/** Less than the 64 MB at which the writer would copy the commits itself. */
const BYTES_MAXIMUM = 48 * 1024 * 1024
/** A writer without a pause leaves no moment in which everything is copied, unless it waits for the copy. */
const COPIES = 5

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

/** Commits without a pause, until everything was copied a few times. */
async function commitUntilCopied(database: Kysely<unknown>, wal: string): Promise<void> {
  await sql`create table blobs (bytes blob)`.execute(database)
  while (countCopies(wal) < COPIES) {
    for (let commit = 0; commit < 20; commit += 1) {
      await sql`insert into blobs values (zeroblob(20000))`.execute(database)
      await turn()
    }
    assert.ok(statSync(wal).size < BYTES_MAXIMUM, 'the -wal file grows')
  }
}

/** The file is used from its beginning after all of it was copied. */
function countCopies(wal: string): number {
  const file = openSync(wal, 'r')
  const header = Buffer.alloc(SEQUENCE_OFFSET + 4)
  readSync(file, header)
  closeSync(file)
  return header.readUInt32BE(SEQUENCE_OFFSET)
}

test('Another thread copies commits into the database before the -wal file is large, and the end leaves no such file', async (t) => {
  const { wal, database } = openTemporary(t)
  await commitUntilCopied(database, wal)
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
  await commitUntilCopied(database, wal)
})

test('While the system has no thread left, commits succeed, and a later checkpoint starts the thread', async (t) => {
  const { wal, database } = openTemporary(t)
  const allow = refuseThreads(t)
  await sql`create table texts (text)`.execute(database)
  for (let commit = 0; commit < 100; commit += 1) await sql`insert into texts values ('one')`.execute(database)
  assert.equal(countCopies(wal), 0)
  allow()
  await commitUntilCopied(database, wal)
})

test('Without the thread, the writer copies commits when the -wal file has 64 MB', async (t) => {
  const { wal, database } = openTemporary(t)
  t.mock.method(Worker.prototype, 'postMessage', () => {})
  await sql`create table blobs (bytes blob)`.execute(database)
  const sizes: number[] = []
  while (countCopies(wal) === 0) {
    sizes.push(statSync(wal).size)
    await sql`insert into blobs values (zeroblob(1000000))`.execute(database)
  }
  const largest = Math.max(...sizes)
  assert.ok(largest > 62e6 && largest < 72e6, `${largest} bytes`)
})
