import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { writeBackupFile } from './write-backup-file.ts'

test('Only its owner can read a backup, also while it is written', async (t) => {
  const folder = createTemporaryFolder(t)
  const modes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
  await writeBackupFile(join(folder, 'backup.db'), async (temporaryPath) => {
    assert.deepEqual(modes(), [0o600])
    const database = new DatabaseSync(temporaryPath)
    database.exec('create table things (id integer)')
    database.close()
  })
  assert.deepEqual(modes(), [0o600])
})
