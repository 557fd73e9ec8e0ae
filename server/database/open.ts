import { Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { openPostgres } from './postgres.ts'
import type { RowChanges } from './row-changes.ts'
import { SqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

export interface OpenDatabase {
  database: Kysely<Tables>
  /** PostgreSQL's connections, for what speaks to it directly; absent on SQLite. */
  pool?: Pool
  /** SQLite's word on what was committed; absent on PostgreSQL. */
  rowChanges?: RowChanges
}

/** Opens the database that the configuration names; `database.destroy()` closes it. Nothing is connected before first use. */
export function openDatabase(config: Config['database'], onConnectionLost: (error: Error) => void): OpenDatabase {
  if (config.engine === 'sqlite') {
    const dialect = new SqliteDialect(config.path)
    return { database: new Kysely<Tables>({ dialect }), rowChanges: dialect.rowChanges }
  }
  const { dialect, pool } = openPostgres(config.url, onConnectionLost)
  return { database: new Kysely<Tables>({ dialect }), pool }
}
