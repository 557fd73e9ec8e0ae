import assert from 'node:assert/strict'
import { chmodSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { startService } from '../../../test/support/service.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { newMember, type TestUser } from '../../../test/support/users.ts'
import { openFile } from './sqlite-file.ts'

const modes = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(`${folder}/${name}`).mode & 0o777).toString(8)]),
  )
const PRIVATE = { 'accounts.db': '600', 'accounts.db-shm': '600', 'accounts.db-wal': '600' }

test('Only the owner can read the database files, new or existing, with any umask', async (t) => {
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = `${dirname(testDatabase.url.slice('sqlite:'.length))}/made/accounts.db`
  const folder = dirname(path)
  const open = () => {
    const { writer, reader } = openFile(path, 0)
    return () => {
      reader.close()
      writer.close()
    }
  }
  const close = open()
  assert.deepEqual(modes(folder), PRIVATE)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  const { writer } = openFile(path, 0)
  for (const name of readdirSync(folder)) chmodSync(`${folder}/${name}`, 0o644)
  const closeAgain = open()
  assert.deepEqual(modes(folder), PRIVATE)
  for (const end of [close, closeAgain, () => writer.close()]) end()
})

test('Changes and readiness return 503 while a file of the database is missing, and no data is lost', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { client } = await newMember(service)
  if (service.config.database.engine !== 'sqlite') throw new Error('This is about SQLite')
  const { path } = service.config.database
  const rename = (name: string) => client.post('/api/auth/update-user', { name })
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    renameSync(file, `${file}.away`)
    assert.equal((await rename('Lost')).status, 503)
    assert.equal((await service.client().get('/readyz')).status, 503)
    writeFileSync(file, '')
    assert.equal((await rename('Lost')).status, 503, 'another file in its place is not the database')
    renameSync(`${file}.away`, file)
    assert.equal((await rename('Kept')).status, 200)
    assert.equal((await client.get('/api/auth/get-session')).body.user.name, 'Kept')
  }
})

test('Session checks, cached or not, return 503 a second after the database file was replaced, until it is back', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => {
    t.mock.restoreAll()
    return service.stop()
  })
  const [cached, uncached] = [await newMember(service), await newMember(service)]
  if (service.config.database.engine !== 'sqlite') throw new Error('This is about SQLite')
  const { path } = service.config.database
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const check = async ({ client }: TestUser) => (await client.get('/api/auth/get-session')).status
  assert.equal(await check(cached), 200)
  renameSync(path, `${path}.away`)
  writeFileSync(path, '')
  assert.equal(await check(cached), 200, 'a look at the file for each request would be slow')
  now += 1_000
  for (const user of [cached, uncached]) assert.equal(await check(user), 503)
  renameSync(`${path}.away`, path)
  for (const user of [cached, uncached]) assert.equal(await check(user), 200)
})

test('A commit to SQLite waits for the disk, so that a power cut loses no change that was answered', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const { writer, reader } = openFile(testDatabase.url.slice('sqlite:'.length), 0)
  // No test can cut the power. 2 is FULL.
  const [setting] = writer.run<object>({ sql: 'pragma synchronous', parameters: [] } as never).rows
  assert.deepEqual({ ...setting }, { synchronous: 2 })
  for (const connection of [reader, writer]) connection.close()
})

test('The -wal file shrinks again after a long read', async (t) => {
  const testDatabase = await createTestDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const { writer, reader } = openFile(path, 0)
  const run = (sql: string) => writer.run({ sql, parameters: [] } as never)
  const other = new DatabaseSync(path)
  for (const sql of ['create table grown (bytes blob)', 'insert into grown values (1)']) run(sql)
  other.exec('begin; select count(*) from grown')
  for (let count = 0; count < 8; count += 1) run('insert into grown values (zeroblob(10000000))')
  const walBytes = () => statSync(`${path}-wal`).size
  assert.ok(walBytes() > 70_000_000)
  other.exec('commit')
  for (let count = 0; count < 3; count += 1) run('insert into grown values (zeroblob(5000000))')
  assert.ok(walBytes() < 68_000_000, `${walBytes()}`)
  for (const connection of [other, reader, writer]) connection.close()
})
