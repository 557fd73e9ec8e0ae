import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Tables } from './tables.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** The files of migrations/ by name, in order. A migration is never edited after its release. */
export const MIGRATIONS = await readMigrations()

async function readMigrations(): Promise<Record<string, Migration>> {
  const names = readdirSync(FOLDER).sort()
  const imports = names.map(async (name): Promise<[string, Migration]> => {
    return [name.replace('.ts', ''), await import(new URL(name, FOLDER).href)]
  })
  return Object.fromEntries(await Promise.all(imports))
}

/** The database is not up to date, and the service must not start. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/**
 * Applies the missing migrations in one transaction and under a lock, so that several processes may start concurrently.
 * @returns the names of the applied migrations
 * @throws MigrationError when a migration failed (then none is applied) or the database is newer than this code
 */
export async function migrate(database: Kysely<Tables>, migrations = MIGRATIONS): Promise<string[]> {
  const unknown = (await listAppliedMigrations(database)).filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database is newer than this version of Accounts: it has ${unknown.join(', ')}. Start the version that created it, or a later one.`,
    )
  }
  const { error, results = [] } = await new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest()
  const failed = results.find((result) => result.status === 'Error')
  if (error) {
    const what = failed
      ? `Migration ${failed.migrationName} failed, and nothing was changed`
      : 'The database could not be migrated'
    throw new MigrationError(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  return results.map((result) => result.migrationName)
}

export async function isMigrated(database: Kysely<Tables>): Promise<boolean> {
  const applied = new Set(await listAppliedMigrations(database))
  return Object.keys(MIGRATIONS).every((name) => applied.has(name))
}

async function listAppliedMigrations(database: Kysely<Tables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await database
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  return rows.map((row) => row.name)
}
