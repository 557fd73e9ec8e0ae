import { type Context, type OpenContext, openContext } from '../core/context.ts'
import { registerSecret } from '../features/secret-rotation/register-secret.ts'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import { createSecretFile } from '../platform/crypto/secret-file.ts'
import { assertNoCopy } from '../platform/database/copy/copy-state.ts'
import { migrate } from '../platform/database/migrate.ts'
import { MIGRATIONS } from '../platform/database/migration.ts'

/**
 * Opens the database for a command that changes it. The first command creates SECRET and the tables.
 * @throws CopyError for a backup, and for an unfinished copy; MigrationError; SecretError
 */
export async function openMigrated(config: Config, runtime: Runtime): Promise<OpenContext & { applied: string[] }> {
  const opened = openContext({ ...config, secret: config.secret || createSecret(config) }, runtime)
  try {
    return { ...opened, applied: await migrateWithSecret(opened.context) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function migrateWithSecret(context: Context): Promise<string[]> {
  await assertNoCopy(context.database)
  const applied = await migrate(context.database, MIGRATIONS, (line) => console.error(line))
  await registerSecret(context)
  // A copy may have begun while this process waited for its migrations.
  await assertNoCopy(context.database)
  return applied
}

function createSecret({ database }: Config): string {
  if (database.engine !== 'sqlite') throw new Error('A secret is created beside a SQLite database only')
  return createSecretFile(database.path)
}
