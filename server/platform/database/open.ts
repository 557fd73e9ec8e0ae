import { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { openForCommand, openForService } from './postgres.ts'
import type { RowChanges } from './row-changes.ts'
import { SqliteDialect } from './sqlite.ts'
import { SqliteReaderDialect } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'

/** A service answers requests, each within 2 s whatever the database does; a command takes the time that it needs. */
export type Purpose = 'service' | 'command'

export interface OpenDatabase {
  database: Kysely<Tables>
  /** For work beside the requests: never in their way, and never behind them. */
  background: Kysely<Tables>
  /** For questions that may take long: reads only, on connections of their own, off the main thread. */
  slowReads: Kysely<Tables>
  /** Writes as a change does, and leaves nothing behind. @throws when changes can't be written right now */
  testWrite: () => Promise<void>
  /** SQLite's word on what was committed; absent on PostgreSQL. */
  rowChanges?: RowChanges
}

/** Opens the database that the configuration names; `destroy()` on all three closes it. Nothing is connected before first use. */
export function openDatabase(
  config: Config['database'],
  onConnectionLost: (error: Error) => void,
  purpose: Purpose = 'command',
): OpenDatabase {
  if (config.engine === 'sqlite') {
    const dialect = new SqliteDialect(config.path)
    const database = new Kysely<Tables>({ dialect })
    const slowReads = new Kysely<Tables>({ dialect: new SqliteReaderDialect(config.path) })
    return { database, background: database, slowReads, testWrite: dialect.testWrite, rowChanges: dialect.rowChanges }
  }
  const open = purpose === 'service' ? openForService : openForCommand
  return open({ url: config.url, onConnectionLost })
}
