import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstallation } from '../../../test/support/copies.ts'
import { query } from '../../../test/support/postgres.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { restoreCommand } from '../../commands/restore.ts'

test('A restore works beside another schema that has the tables of Accounts', async (t) => {
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('postgres')]
  const file = `${createTemporaryFolder(t)}/backup.db`
  await (await installation.start(source)).stop()
  await installation.run(source, backupCommand, '--to', file)
  await installation.run(target, migrateCommand)
  await query(target, 'alter schema public rename to before_restore')
  await query(target, 'create schema public')
  assert.match(await installation.run(target, restoreCommand, file), /every row is verified/)
})
