import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as foundation from './migrations/0001-foundation.ts'
import * as sessionProperties from './migrations/0002-session-properties.ts'
import * as organizations from './migrations/0003-organizations.ts'
import * as staff from './migrations/0004-staff.ts'
import * as passkeys from './migrations/0005-passkeys.ts'
import * as countingPeople from './migrations/0006-counting-people.ts'
import * as housekeeping from './migrations/0007-housekeeping.ts'
import * as sessionBoundTokens from './migrations/0008-session-bound-tokens.ts'
import * as secretGenerations from './migrations/0009-secret-generations.ts'
import * as writeTests from './migrations/0010-write-tests.ts'
import * as emailOrderAndLimits from './migrations/0011-email-order-and-limits.ts'
import * as limits from './migrations/0012-limits.ts'
import * as customProperties from './migrations/0013-custom-properties.ts'
import * as auditWindows from './migrations/0014-audit-windows.ts'
import * as plainNames from './migrations/0016-plain-names.ts'
import type { Tables } from './tables.ts'

/** In this order, forward only; a migration that has landed is never edited. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-session-properties': sessionProperties,
  '0003-organizations': organizations,
  '0004-staff': staff,
  '0005-passkeys': passkeys,
  '0006-counting-people': countingPeople,
  '0007-housekeeping': housekeeping,
  '0008-session-bound-tokens': sessionBoundTokens,
  '0009-secret-generations': secretGenerations,
  '0010-write-tests': writeTests,
  '0011-email-order-and-limits': emailOrderAndLimits,
  '0012-limits': limits,
  '0013-custom-properties': customProperties,
  '0014-audit-windows': auditWindows,
  '0016-plain-names': plainNames,
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
