import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createInstallation } from '../../../test/support/copies.ts'
import { newSecret } from '../../../test/support/process.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { auditCommand } from '../../commands/audit.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { restoreCommand } from '../../commands/restore.ts'
import { seedUsers } from '../../core/users/seed-users.ts'
import { createSigningKeys } from '../tokens/signing-keys.ts'

for (const hasGeneration of [true, false])
  test(`A restore under a new SECRET, with that of the backup as PREVIOUS_SECRET, is refused (generation: ${hasGeneration})`, async (t) => {
    const { installation, replaceSecret, source, target, file } = await prepare(t)
    await installation.run(source, migrateCommand)
    const { context, close } = installation.open(source)
    if (!hasGeneration) await context.database.deleteFrom('secretGenerations').execute()
    await seedUsers(context, 1, () => {})
    await close()
    await installation.run(source, backupCommand, '--to', file)
    replaceSecret()
    await assert.rejects(installation.run(target, restoreCommand, file), /PREVIOUS_SECRET fits: set SECRET to that one/)
    assert.ok(!existsSync(target.slice('sqlite:'.length)))
  })

test('A restore of a backup from a replacement of SECRET needs both SECRETs, and its audit log verifies', async (t) => {
  const { installation, replaceSecret, source, target, file } = await prepare(t)
  await installation.run(source, migrateCommand)
  replaceSecret()
  await installation.run(source, migrateCommand)
  await installation.run(source, backupCommand, '--to', file)
  assert.match(await installation.run(target, restoreCommand, file), /every row is verified/)
  assert.match(await installation.run(target, auditCommand, 'verify'), /whole/)
})

test('A backup whose SECRET is lost is restored under a new one, after the statements of docs/operations.md', async (t) => {
  const { installation, source, target, file } = await prepare(t)
  await installation.run(source, migrateCommand)
  const { context, close } = installation.open(source)
  await createSigningKeys(context).ensure()
  await seedUsers(context, 1, () => {})
  await close()
  await installation.run(source, backupCommand, '--to', file)
  installation.environment.SECRET = newSecret()
  await assert.rejects(installation.run(target, restoreCommand, file), /follow "If SECRET is lost" in docs\/operations/)
  const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const [, statements = ''] = /### If SECRET is lost.*?^```sql\n(.*?)^```$/ms.exec(operations) ?? []
  const backup = new DatabaseSync(file)
  backup.exec(statements)
  backup.close()
  assert.match(await installation.run(target, restoreCommand, file), /every row is verified/)
  assert.match(await installation.run(target, auditCommand, 'verify'), /whole/)
})

test('A move under a new SECRET and a PREVIOUS_SECRET registers the new one in both databases', async (t) => {
  const { installation, replaceSecret, source, target } = await prepare(t)
  await installation.run(source, migrateCommand)
  replaceSecret()
  await installation.run(source, moveCommand, '--to', target)
  for (const url of [source, target]) {
    const { context, close } = installation.open(url)
    const rows = await context.database
      .selectFrom('secretGenerations')
      .select('secretId')
      .orderBy('generation')
      .execute()
    assert.equal(rows.at(-1)?.secretId, context.keyring.secretId)
    await close()
  }
  assert.match(await installation.run(target, auditCommand, 'verify'), /whole/)
})

async function prepare(t: TestContext) {
  const folder = createTemporaryFolder(t)
  const installation = await createInstallation(t)
  const { environment } = installation
  return {
    installation,
    source: await installation.createDatabase('sqlite'),
    target: await installation.createDatabase('sqlite'),
    file: join(folder, 'backup.db'),
    replaceSecret() {
      Object.assign(environment, { SECRET: newSecret(), PREVIOUS_SECRET: environment.SECRET })
    },
  }
}
