import { Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { LISTING_CONNECTIONS, openPostgres } from './postgres.ts'
import type { RowChanges } from './row-changes.ts'
import { SqliteDialect } from './sqlite.ts'
import { SqliteReaderDialect } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'

export interface OpenDatabase {
  database: Kysely<Tables>
  /** For questions that may take long: reads only, on connections of their own, off the main thread. */
  slowReads: Kysely<Tables>
  /** PostgreSQL's connections, for what speaks to it directly; absent on SQLite. */
  pool?: Pool
  /** SQLite's word on what was committed; absent on PostgreSQL. */
  rowChanges?: RowChanges
}

/** Opens the database that the configuration names; `destroy()` on both closes it. Nothing is connected before first use. */
export function openDatabase(config: Config['database'], onConnectionLost: (error: Error) => void): OpenDatabase {
  if (config.engine === 'sqlite') {
    const dialect = new SqliteDialect(config.path)
    const slowReads = new Kysely<Tables>({ dialect: new SqliteReaderDialect(config.path) })
    return { database: new Kysely<Tables>({ dialect }), slowReads, rowChanges: dialect.rowChanges }
  }
  const { dialect, pool } = openPostgres(config.url, onConnectionLost)
  const listing = openPostgres(config.url, onConnectionLost, LISTING_CONNECTIONS)
  return {
    database: new Kysely<Tables>({ dialect }),
    slowReads: new Kysely<Tables>({ dialect: listing.dialect }),
    pool,
  }
}
