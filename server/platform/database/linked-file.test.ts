import assert from 'node:assert/strict'
import { chmodSync, closeSync, openSync, renameSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openForReading } from './open-for-reading.ts'
import { openFile } from './sqlite-file.ts'

/** A database that is used through a symbolic link. */
function openLinked(t: TestContext) {
  const [folder, folderOfLink] = [createTemporaryFolder(t), createTemporaryFolder(t)]
  const [path, link] = [join(folder, 'real.db'), join(folderOfLink, 'link.db')]
  closeSync(openSync(path, 'w'))
  symlinkSync(path, link)
  const open = () => {
    const file = openFile(link, 0)
    t.after(() => {
      file.reader.close()
      file.writer.close()
    })
    return file
  }
  return { path, link, open }
}

test('A reader of a linked file reads the -wal file of the file itself', async (t) => {
  const { link, open } = openLinked(t)
  const { writer } = open()
  for (const sql of ['create table users (id)', "insert into users values ('usr_ada')"])
    writer.run({ sql, parameters: [] } as never)
  const reader = openForReading({ engine: 'sqlite', path: link })
  t.after(() => reader?.destroy())
  assert.deepEqual(await reader?.selectFrom('users').select('id').execute(), [{ id: 'usr_ada' }])
})

test('A linked file is not in place while its -wal file is away, or while the link leads elsewhere', (t) => {
  const { path, link, open } = openLinked(t)
  const { assertInPlace } = open()
  assertInPlace()
  renameSync(`${path}-wal`, `${path}-away`)
  assert.throws(assertInPlace, { name: 'DatabaseUnavailable' })
  renameSync(`${path}-away`, `${path}-wal`)
  assertInPlace()
  unlinkSync(link)
  assert.throws(assertInPlace, { name: 'DatabaseUnavailable' })
  symlinkSync(`${path}-wal`, link)
  assert.throws(assertInPlace, { name: 'DatabaseUnavailable' })
})

test('Only the owner can read the files of a linked database', (t) => {
  const { path, open } = openLinked(t)
  open()
  const files = [path, `${path}-wal`, `${path}-shm`]
  for (const file of files) chmodSync(file, 0o644)
  open()
  for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file)
})
