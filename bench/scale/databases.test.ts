import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { openDatabases } from './databases.ts'
import { toScaleOptions } from './options.ts'

const OPTIONS = { users: '1000', engines: 'sqlite', out: '', 'warm-up': '0', minutes: '0', quick: true }

test('A SQLite database of the benchmark is seeded again after an interrupted run', async (t) => {
  const folder = createTemporaryFolder(t)
  for (const ending of ['', '-journal', '-wal', '-shm'])
    writeFileSync(join(folder, `1000.db.unfinished${ending}`), 'half a database')
  const databases = await openDatabases(
    {
      workplace: { folder, owns: (child) => child },
      scale: toScaleOptions({ ...OPTIONS, folder }),
      progress: () => {},
    },
    'sqlite',
  )
  const path = (await databases.find(1_000)).slice('sqlite:'.length)
  const database = new DatabaseSync(path, { readOnly: true })
  t.after(() => database.close())
  assert.deepEqual({ ...database.prepare('select count(*) as count from users').get() }, { count: 1_000 })
})
