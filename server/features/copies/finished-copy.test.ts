import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createInstallation } from '../../../test/support/copies.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { restoreCommand } from '../../commands/restore.ts'

for (const engine of ['sqlite', 'postgres'] as const)
  test(`A move and a restore that are run again after their end say what comes next (${engine})`, async (t) => {
    const folder = createTemporaryFolder(t)
    const file = join(folder, 'backup.db')
    const installation = await createInstallation(t)
    const [source, moved, restored] = [
      await installation.createDatabase('sqlite'),
      await installation.createDatabase(engine),
      await installation.createDatabase(engine),
    ]
    await installation.run(source, migrateCommand)
    const move = () => installation.run(source, moveCommand, '--to', moved)
    assert.match(await move(), /Keep SECRET: set it to the one of the old database/)
    await assert.rejects(move(), /a move finished here at 20.+nothing is left to copy\. Set DATABASE_URL to the target/)
    await installation.run(moved, backupCommand, '--to', file)
    const restore = () => installation.run(restored, restoreCommand, file)
    await restore()
    await assert.rejects(
      restore(),
      /a restore finished here at 20.+restore list, then restore confirm[\s\S]+Check, and/,
    )
  })
