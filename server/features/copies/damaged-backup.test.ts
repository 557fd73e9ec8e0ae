import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createInstallation } from '../../../test/support/copies.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { backUpDatabase } from './back-up-database.ts'
import { writeBackupFile } from './write-backup-file.ts'

const TABLES = `
  create table parents (id integer primary key);
  create table children ("parentId" integer references parents, count integer check (count > 0));
  pragma foreign_keys = off;
  pragma ignore_check_constraints = on;`

for (const [what, row, reason] of [
  ['a row without its parent', '(1, 1)', /The backup is damaged: .*"parent":"parents"/],
  ['a row that breaks a constraint', '(null, 0)', /The backup is damaged: .*CHECK constraint failed in children/],
] as const)
  test(`A backup with ${what} is refused, and leaves no file`, async (t) => {
    const folder = createTemporaryFolder(t)
    const writing = writeBackupFile(join(folder, 'backup.db'), async (path) => {
      const database = new DatabaseSync(path)
      database.exec(`${TABLES} insert into children values ${row}`)
      database.close()
    })
    await assert.rejects(writing, reason)
    assert.deepEqual(readdirSync(folder), [])
  })

test('A backup with fewer rows than its source is refused, and leaves no file', async (t) => {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const source = await installation.createDatabase('sqlite')
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  t.after(close)
  const { database } = context
  await database.insertInto('emailLimits').values({ key: 'ada@example.com', usedAt: 1 }).execute()
  // The copy gets the trigger, and marks itself as a backup in this table.
  await sql`create trigger damage after insert on "copyState" begin delete from "emailLimits"; end`.execute(database)
  const backup = backUpDatabase(context, join(folder, 'backup.db'), () => {})
  await assert.rejects(backup, /The backup is damaged: emailLimits has 0 rows instead of 1/)
  assert.deepEqual(readdirSync(folder), [])
})
