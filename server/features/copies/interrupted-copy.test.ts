import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createInstallation } from '../../../test/support/copies.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { restoreCommand } from '../../commands/restore.ts'
import type { OpenContext } from '../../core/context.ts'
import { seedUsers } from '../../core/users/seed-users.ts'
import { moveDatabase } from './move-database.ts'
import { restoreDatabase } from './restore-database.ts'

const USERS = 600
/**
 * The number of copied rows after the first batch of known devices: one generation of SECRET, all users, 500 devices.
 */
const INTERRUPTED_AT = 1 + USERS + 500

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  test(`An interrupted move from ${from} to ${to} whose source has gained rows starts over at the next run`, async (t) => {
    const installation = await createInstallation(t)
    const [source, target] = [await installation.createDatabase(from), await installation.createDatabase(to)]
    await installation.run(source, migrateCommand)
    await addUsers(installation.open(source))
    const [one, other] = [installation.open(source), installation.open(target)]
    await assert.rejects(moveDatabase(one.context, other.context, interrupt), /interrupted/)
    await one.close()
    await other.close()
    await addUsers(installation.open(source))
    const moving = () => installation.run(source, moveCommand, '--to', target)
    await assert.rejects(moving(), /can't store rows of knownDevices, .*the source changed since the copy began/)
    assert.match(await moving(), /every row is verified/)
  })
}

test('An interrupted restore whose file was replaced by a later backup starts over at the next run', async (t) => {
  const folder = createTemporaryFolder(t)
  const file = join(folder, 'backup.db')
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('postgres')]
  await installation.run(source, migrateCommand)
  await addUsers(installation.open(source))
  await installation.run(source, backupCommand, '--to', file)
  const { context, close } = installation.open(target)
  await assert.rejects(restoreDatabase(context, file, interrupt), /interrupted/)
  await close()
  await addUsers(installation.open(source))
  await rm(file)
  await installation.run(source, backupCommand, '--to', file)
  const restoring = () => installation.run(target, restoreCommand, file)
  await assert.rejects(restoring(), /can't store rows of knownDevices, .*the source changed since the copy began/)
  assert.match(await restoring(), /every row is verified/)
})

async function addUsers({ context, close }: OpenContext): Promise<void> {
  await seedUsers(context, USERS, () => {})
  await sql`insert into "knownDevices" ("userId", device, "isBrowser", "createdAt", "expiresAt")
    select id, 'device', 1, 1, 1 from users where true on conflict do nothing`.execute(context.database)
  await close()
}

function interrupt(stage: string, done: number): void {
  if (stage === 'Copied' && done >= INTERRUPTED_AT) throw new Error('interrupted')
}
