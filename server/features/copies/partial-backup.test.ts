import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createInstallation } from '../../../test/support/copies.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { restoreCommand } from '../../commands/restore.ts'
import { seedUsers } from '../../core/users/seed-users.ts'
import { beginCopy } from '../../platform/database/copy/copy-state.ts'
import { migrate, readMigrationState } from '../../platform/database/migrate.ts'
import { MIGRATIONS } from '../../platform/database/migration.ts'
import { backUpDatabase } from './back-up-database.ts'

const USERS = 600

for (const stage of ['Copied', 'Verified'] as const)
  test(`A restore refuses the partial file of a backup from PostgreSQL that was killed after rows were ${stage}`, async (t) => {
    const { installation, source, target, folder } = await prepare(t)
    const { context, close } = installation.open(source)
    await backUpDatabase(context, join(folder, 'backup.db'), (current) => {
      if (current === stage) keepPartialFile(folder)
    })
    await close()
    const restoring = installation.run(target, restoreCommand, join(folder, 'killed.db'))
    await assert.rejects(restoring, /the partial file of a backup that was interrupted: delete it/)
    await assert.rejects(
      installation.run(`sqlite:${join(folder, 'killed.db')}`, migrateCommand),
      /the partial file of a backup that was interrupted/,
    )
    assert.match(await installation.run(target, restoreCommand, join(folder, 'backup.db')), /every row is verified/)
  })

test('A restore refuses the partial file of a backup that was killed before its first row', async (t) => {
  const { installation, target, folder } = await prepare(t)
  const file = join(folder, 'killed.db')
  const { context, close } = installation.open(`sqlite:${file}`)
  await migrate(context.database)
  await close()
  await assert.rejects(installation.run(target, restoreCommand, file), /killed\.db has no rows/)
  assert.ok(!existsSync(target.slice('sqlite:'.length)))
})

test('A restore accepts a backup of an earlier version, which stored the position of its last row', async (t) => {
  const { installation, source, target, folder } = await prepare(t)
  const file = join(folder, 'backup.db')
  await installation.run(source, backupCommand, '--to', file)
  const database = new DatabaseSync(file)
  database.exec(`update "copyState" set step = 'auditHead', "lastKey" = '[1]'`)
  database.close()
  assert.match(await installation.run(target, restoreCommand, file), /every row is verified/)
})

test('A restore and a move refuse a backup as the target, and leave it unchanged', async (t) => {
  const { installation, source, folder } = await prepare(t)
  const [one, other] = [join(folder, 'one.db'), join(folder, 'other.db')]
  await installation.run(source, backupCommand, '--to', one)
  await installation.run(source, backupCommand, '--to', other)
  chmodSync(one, 0o640)
  const bytes = readFileSync(one)
  for (const copying of [
    () => installation.run(`sqlite:${one}`, restoreCommand, other),
    () => installation.run(`sqlite:${one}`, restoreCommand, one),
    () => installation.run(source, moveCommand, '--to', `sqlite:${one}`),
  ]) {
    await assert.rejects(copying(), /The target is a backup\. Choose a new, empty database/)
    assert.ok(bytes.equals(readFileSync(one)))
    assert.equal(statSync(one).mode & 0o777, 0o640)
    assert.deepEqual(readdirSync(folder).toSorted(), ['one.db', 'other.db'])
  }
})

test('A restore into the unfinished target of another copy is refused, and does not migrate it', async (t) => {
  const { installation, source, target, folder } = await prepare(t)
  const file = join(folder, 'backup.db')
  await installation.run(source, backupCommand, '--to', file)
  const { context, close } = installation.open(target)
  const { '0033-lifetimes-of-api-keys': _, ...earlier } = MIGRATIONS
  await migrate(context.database, earlier)
  await beginCopy(context.database, { kind: 'move', source: 'postgres://elsewhere/accounts' })
  await close()
  await assert.rejects(installation.run(target, restoreCommand, file), /The target is the unfinished move of postgres/)
  const reopened = installation.open(target)
  t.after(reopened.close)
  assert.equal(await readMigrationState(reopened.context.database), 'behind')
})

async function prepare(t: TestContext) {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('postgres'), await installation.createDatabase('sqlite')]
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await seedUsers(context, USERS, () => {})
  await close()
  return { installation, source, target, folder }
}

/** A kill leaves the database with its -wal file. */
function keepPartialFile(folder: string): void {
  for (const name of readdirSync(folder)) {
    const ending = /\.partial(-wal)?$/.exec(name)
    if (ending) copyFileSync(join(folder, name), join(folder, `killed.db${ending[1] ?? ''}`))
  }
}
