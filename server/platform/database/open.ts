import { Kysely, type Logger } from 'kysely'
import type { Config } from '../config/config.ts'
import { allowsStandby } from '../config/postgres-url.ts'
import { openForCommand, openForService } from './postgres.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import type { RowChanges } from './row-changes.ts'
import { SqliteDialect } from './sqlite.ts'
import { SqliteReaderDialect } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'

/** A service must respond within 2 s even if the database hangs. A command has no such limit. */
export type ProcessKind = 'service' | 'command'

export interface OpenDatabase {
  database: Kysely<Tables>
  /** For periodic work. In a service on PostgreSQL, it has connections of its own. On SQLite, it shares the writer. */
  background: Kysely<Tables>
  /** For slow reads: on separate connections and off the main thread. */
  slowReads: Kysely<Tables>
  /** For a readiness check. @throws when changes can't be written */
  testWrite: () => Promise<void>
  rowChanges: RowChanges
  close: () => Promise<void>
}

/** Connects at first use. */
export function openDatabase(
  config: Config['database'],
  onConnectionLost: (error: Error) => void,
  processKind: ProcessKind = 'command',
  log?: Logger,
): OpenDatabase {
  const logging = log ? { log } : {}
  if (config.engine === 'sqlite') {
    const dialect = new SqliteDialect(config.path)
    const database = new Kysely<Tables>({ dialect, ...logging })
    const slowReads = new Kysely<Tables>({ dialect: new SqliteReaderDialect(config.path), ...logging })
    return {
      database,
      background: database,
      slowReads,
      testWrite: dialect.testWrite,
      rowChanges: dialect.rowChanges,
      async close() {
        await slowReads.destroy()
        await database.destroy()
      },
    }
  }
  if (processKind === 'service')
    return openForService({ hosts: new PostgresHosts(config.url), onConnectionLost }, logging)
  const hosts = new PostgresHosts(config.url, allowsStandby(config.url))
  return openForCommand({ hosts, onConnectionLost }, logging)
}
