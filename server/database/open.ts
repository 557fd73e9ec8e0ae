import { Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { openPostgres } from './postgres.ts'
import { SqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

export interface OpenDatabase {
  database: Kysely<Tables>
  /** PostgreSQL's connections, for what speaks to it directly; absent on SQLite. */
  pool?: Pool
}

/** Opens the database that the configuration names; `database.destroy()` closes it. Nothing is connected before first use. */
export function openDatabase(config: Config['database'], onConnectionLost: (error: Error) => void): OpenDatabase {
  if (config.engine === 'sqlite') return { database: new Kysely<Tables>({ dialect: new SqliteDialect(config.path) }) }
  const { dialect, pool } = openPostgres(config.url, onConnectionLost)
  return { database: new Kysely<Tables>({ dialect }), pool }
}
