import type { Config } from '../../../server/platform/config/config.ts'
import { openPostgresSeeder } from './postgres-seeder.ts'
import { openSqliteSeeder } from './sqlite-seeder.ts'

/** The only connection to a database with empty tables. Indexes are built at the end: row by row takes six times as long. */
export interface Seeder {
  run(statement: string): Promise<void>
  insert(table: string, rows: Record<string, string | number | null>[]): Promise<void>
  /** Builds the indexes, and closes the connection. */
  finish(): Promise<void>
}

/** @param tables to be filled */
export function openSeeder(database: Config['database'], tables: string[]): Promise<Seeder> {
  return database.engine === 'sqlite' ? openSqliteSeeder(database.path) : openPostgresSeeder(database.url, tables)
}
