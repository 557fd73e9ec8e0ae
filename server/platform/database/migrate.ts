import type { Kysely, Transaction } from 'kysely'
import {
  insertAppliedMigration,
  listAppliedMigrations,
  listIncompatible,
  listPending,
  prepareAppliedMigrations,
} from './applied-migrations.ts'
import { isPostgres } from './is-postgres.ts'
import { MIGRATIONS, type Migration, type Migrations, type OnlineMigration, type QuickMigration } from './migration.ts'
import { IDLE_MILLISECONDS, keepLock, type Report, retryWhenLocked, underMigrationLock } from './migration-lock.ts'
import { createOnlineSteps } from './online-steps.ts'
import type { Tables } from './tables.ts'
import { findUnfitEncoding } from './unfit-settings.ts'

export class MigrationError extends Error {
  override name = 'MigrationError'
}

/**
 * On SQLite, all missing migrations run in one transaction. On PostgreSQL, consecutive quick migrations share one, and
 * each online migration runs beside requests.
 * @returns the names of the applied migrations
 * @throws MigrationError for a failed migration, an incompatible newer database, or an unfit encoding of a new one
 */
export async function migrate(
  database: Kysely<Tables>,
  migrations = MIGRATIONS,
  report: Report = () => {},
  idleMilliseconds = IDLE_MILLISECONDS,
): Promise<string[]> {
  const done: string[] = []
  // No lock here: an earlier version must be able to start while a later version migrates the database.
  const { length: missing } = await listPendingMigrations(database, migrations)
  if (missing === 0) return done
  const isNew = missing === Object.keys(migrations).length
  if (isNew) await assertUnicode(database)
  const tell = isNew ? () => {} : report
  await retryWhenLocked(report, () => underMigrationLock(database, prepareAppliedMigrations, report))
  for (;;) {
    const names = await retryWhenLocked(report, () =>
      underMigrationLock(
        database,
        (transaction) => applyNext(database, transaction, migrations, { done, report: tell, idleMilliseconds }),
        report,
        idleMilliseconds,
      ),
    )
    if (names.length === 0) return done
    done.push(...names)
  }
}

/** @throws MigrationError when this code does not work with the newer migrations of the database */
export async function listPendingMigrations(
  database: Kysely<Tables>,
  migrations = MIGRATIONS,
): Promise<[string, Migration][]> {
  const applied = await listAppliedMigrations(database)
  const incompatible = listIncompatible(applied, migrations)
  if (incompatible.length > 0) {
    throw new MigrationError(
      `The database is newer than this version of Accounts: it has ${incompatible.join(', ')}. Start the version that created it, or a later one.`,
    )
  }
  return listPending(applied, migrations)
}

/** The state is `current` also for an earlier version that works with the newer migrations of the database. */
export async function readMigrationState(database: Kysely<Tables>): Promise<'current' | 'behind' | 'too new'> {
  const applied = await listAppliedMigrations(database)
  if (listIncompatible(applied, MIGRATIONS).length > 0) return 'too new'
  return listPending(applied, MIGRATIONS).length > 0 ? 'behind' : 'current'
}

async function assertUnicode(database: Kysely<Tables>): Promise<void> {
  const problem = await findUnfitEncoding(database)
  if (problem) throw new MigrationError(problem)
}

/** @param transaction holds the lock */
async function applyNext(
  database: Kysely<Tables>,
  transaction: Transaction<Tables>,
  migrations: Migrations,
  { done, report, idleMilliseconds }: { done: string[]; report: Report; idleMilliseconds: number },
): Promise<string[]> {
  const pending = await listPendingMigrations(transaction, migrations)
  const next = isPostgres(database) ? selectNext(pending) : pending
  for (const [name, migration] of next) {
    report(`Migration ${name}`)
    if (!migration.online) await applyQuick(transaction, name, migration, done)
    else if (!isPostgres(database)) await applyOnline(transaction, name, migration, report)
    else await keepLock(transaction, idleMilliseconds, () => applyOnline(database, name, migration, report))
    await insertAppliedMigration(transaction, name, migration)
  }
  return next.map(([name]) => name)
}

/** The quick migrations before the next long migration, or the long one alone if it is first. */
function selectNext(pending: [string, Migration][]): [string, Migration][] {
  const quickCount = pending.findIndex(([, { online }]) => online)
  if (quickCount === -1) return pending
  return pending.slice(0, Math.max(quickCount, 1))
}

async function applyQuick(
  transaction: Transaction<Tables>,
  name: string,
  { up }: QuickMigration,
  done: string[],
): Promise<void> {
  try {
    await up(transaction)
  } catch (cause) {
    const outcome = done.length === 0 ? 'nothing was changed' : `the database has ${done.join(', ')} now`
    throw new MigrationError(`Migration ${name} failed, and ${outcome}: ${messageOf(cause)}`, { cause })
  }
}

async function applyOnline(
  database: Kysely<Tables>,
  name: string,
  { online }: OnlineMigration,
  report: Report,
): Promise<void> {
  try {
    await online(createOnlineSteps(database, (line) => report(`Migration ${name}, ${line}`)))
  } catch (cause) {
    const outcome = isPostgres(database) ? 'goes on at the next start' : 'nothing was changed'
    throw new MigrationError(`Migration ${name} failed, and ${outcome}: ${messageOf(cause)}`, { cause })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
