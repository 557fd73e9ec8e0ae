import type { Kysely } from 'kysely'
import { type OpenContext, openContext } from '../core/context.ts'
import { registerSecret } from '../features/secret-rotation/register-secret.ts'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import { createSecretFile } from '../platform/crypto/secret-file.ts'
import { assertNoCopy } from '../platform/database/copy/copy-state.ts'
import { describeDatabase } from '../platform/database/copy/describe-database.ts'
import { assertFile, inspectFile } from '../platform/database/existing-database.ts'
import { listPendingMigrations, MigrationError, migrate } from '../platform/database/migrate.ts'
import { MIGRATIONS, type Migration } from '../platform/database/migration.ts'
import type { Report } from '../platform/database/migration-lock.ts'
import { assertNoOtherProgram, assertOfAccounts } from '../platform/database/own-tables.ts'
import type { Tables } from '../platform/database/tables.ts'

const report: Report = (line) => console.error(line)

/** Creates SECRET and the tables. @throws CopyError; WrongDatabaseError; MigrationError; SecretError */
export async function openMigrated(config: Config, runtime: Runtime): Promise<OpenContext & { applied: string[] }> {
  let applied: string[] = []
  const opened = await open(config, runtime, assertMayMigrate, async (database) => {
    applied = await migrate(database, MIGRATIONS, report)
  })
  return { ...opened, applied }
}

/** @throws the errors with which `openMigrated` would refuse the database, except SecretError */
export async function listMissingMigrations(database: Kysely<Tables>): Promise<[string, Migration][]> {
  await assertMayMigrate(database)
  return listPendingMigrations(database)
}

async function assertMayMigrate(database: Kysely<Tables>): Promise<void> {
  await assertNoCopy(database)
  await assertNoOtherProgram(database)
}

/** `openMigrated` for a command that says so when it creates a database: DATABASE_URL may be wrong. */
export async function openOrCreate(config: Config, runtime: Runtime): Promise<OpenContext> {
  const opened = await openMigrated(config, runtime)
  if (opened.applied.length === Object.keys(MIGRATIONS).length)
    console.error(`The database is new: ${describeDatabase(config.database)}`)
  return opened
}

/** Creates nothing: a new database at a wrong DATABASE_URL would seem to have no problems. @throws as `openMigrated` */
export async function openExisting(config: Config, runtime: Runtime): Promise<OpenContext> {
  assertFile(config.database)
  const assertUsable = async (database: Kysely<Tables>) => {
    await assertNoCopy(database)
    await assertOfAccounts(database)
    await assertMigrated(database)
  }
  return open(config, runtime, assertUsable)
}

type UseDatabase = (database: Kysely<Tables>) => Promise<void>

async function open(
  config: Config,
  runtime: Runtime,
  assertUsable: UseDatabase,
  prepare: UseDatabase = async () => {},
): Promise<OpenContext> {
  // Inspected first: the next steps create SECRET beside a SQLite file, and opening the file changes it.
  await inspectFile(config.database, assertUsable)
  const opened = openContext({ ...config, secret: config.secret || createSecret(config) }, runtime)
  const { database } = opened.context
  try {
    if (config.database.engine === 'postgres') await assertUsable(database)
    await prepare(database)
    await registerSecret(opened.context, report)
    // A copy may have begun while this process waited for its migrations.
    await assertNoCopy(database)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** @throws MigrationError, also for the database of a later version that this one does not work with */
export async function assertMigrated(database: Kysely<Tables>): Promise<void> {
  const { length: missing } = await listPendingMigrations(database)
  if (missing > 0)
    throw new MigrationError(
      'The database is not up to date. Run npm run accounts -- migrate, then this command again.',
    )
}

function createSecret({ database }: Config): string {
  if (database.engine !== 'sqlite') throw new Error('A secret is created beside a SQLite database only')
  return createSecretFile(database.path)
}
