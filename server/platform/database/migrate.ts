import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Tables } from './tables.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** Every file of migrations/ by its name, which begins with its place in the order. A migration that has landed is never edited. */
export const MIGRATIONS = await readMigrations()

async function readMigrations(): Promise<Record<string, Migration>> {
  const names = readdirSync(FOLDER).sort()
  const imports = names.map(async (name): Promise<[string, Migration]> => {
    return [name.replace('.ts', ''), await import(new URL(name, FOLDER).href)]
  })
  return Object.fromEntries(await Promise.all(imports))
}

/** Why the database could not be brought up to date; the service must not start on it. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/**
 * Brings the database up to date, in one transaction and under a lock, so that several processes may start at once.
 * @returns the names of the migrations that were applied
 * @throws MigrationError when one failed (nothing is applied then) or the database is newer than this code
 */
export async function migrate(database: Kysely<Tables>, migrations = MIGRATIONS): Promise<string[]> {
  const unknown = (await appliedMigrations(database)).filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database is newer than this version of Accounts: it has ${unknown.join(', ')}. Start the version that made it, or a later one.`,
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

/** Whether every migration of this code is applied. */
export async function isMigrated(database: Kysely<Tables>): Promise<boolean> {
  const applied = new Set(await appliedMigrations(database))
  return Object.keys(MIGRATIONS).every((name) => applied.has(name))
}

async function appliedMigrations(database: Kysely<Tables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await database
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  return rows.map((row) => row.name)
}
