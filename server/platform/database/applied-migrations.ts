import { type Kysely, sql } from 'kysely'
import { listColumns } from './list-columns.ts'
import type { Migration, MigrationKind, Migrations } from './migration.ts'
import type { Tables } from './tables.ts'

/** The table of Kysely's migrator, of which earlier versions use only the columns `name` and `timestamp`. */
const TABLE = 'kysely_migration'

export interface AppliedMigration {
  name: string
  /** Null for a migration of a version that stored no kind. */
  kind: MigrationKind | null
  needs: string | null
}

type WithApplied = { kysely_migration: AppliedMigration & { timestamp: string } }

export async function listAppliedMigrations(database: Kysely<Tables>): Promise<AppliedMigration[]> {
  const columns = await listColumns(database, TABLE)
  if (columns.length === 0) return []
  const query = database.withTables<WithApplied>().selectFrom(TABLE).orderBy('name')
  if (columns.includes('kind')) return query.select(['name', 'kind', 'needs']).execute()
  const rows = await query.select('name').execute()
  return rows.map(({ name }) => ({ name, kind: null, needs: null }))
}

export async function prepareAppliedMigrations(database: Kysely<Tables>): Promise<void> {
  const columns = await listColumns(database, TABLE)
  if (columns.length === 0) {
    // The types are those of Kysely, because an earlier version may have created the table.
    await sql`create table kysely_migration
      (name varchar(255) primary key, timestamp varchar(255) not null, kind text, needs text)`.execute(database)
    return
  }
  if (columns.includes('kind')) return
  for (const column of ['kind', 'needs'])
    await sql`alter table kysely_migration add column ${sql.id(column)} text`.execute(database)
}

export async function insertAppliedMigration(
  database: Kysely<Tables>,
  name: string,
  { kind = null, needs = null }: { kind?: MigrationKind | null | undefined; needs?: string | null | undefined },
): Promise<void> {
  const row = { name, kind, needs, timestamp: new Date().toISOString() }
  await database.withTables<WithApplied>().insertInto(TABLE).values(row).execute()
}

/** @returns the applied migrations that make the database unusable for a version that knows only `migrations` */
export function listIncompatible(applied: AppliedMigration[], migrations: Migrations): string[] {
  return applied
    .filter(({ name, kind, needs }) => !(name in migrations || kind === 'expand' || (needs && needs in migrations)))
    .map(({ name }) => name)
}

export function listPending(applied: AppliedMigration[], migrations: Migrations): [string, Migration][] {
  const names = new Set(applied.map(({ name }) => name))
  return Object.entries(migrations).filter(([name]) => !names.has(name))
}
