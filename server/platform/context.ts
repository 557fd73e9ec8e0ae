import type { FastifyBaseLogger } from 'fastify'
import type { Kysely, Logger } from 'kysely'
import type { Config } from './config/config.ts'
import { createKeyring, type Keyring } from './crypto/keyring.ts'
import { createPasswordHasher, type PasswordHasher, threadsOf } from './crypto/passwords.ts'
import { openDatabase, type ProcessKind } from './database/open.ts'
import type { RowChanges } from './database/row-changes.ts'
import type { Tables } from './database/tables.ts'
import { spendOtherTime } from './database/time-budget.ts'
import { createPendingCounts, type PendingCounts } from './statistics/pending-counts.ts'
import { createTotals, type Totals } from './totals.ts'

/** The parts of the environment that tests replace. */
export interface Runtime {
  /** Epoch milliseconds. */
  now: () => number
  randomBytes: (byteCount: number) => Buffer
  log: FastifyBaseLogger
}

export interface PlatformContext extends Runtime {
  config: Config
  database: Kysely<Tables>
  /** Connections for slow reads, so that other requests do not wait for them. */
  slowReads: Kysely<Tables>
  passwords: PasswordHasher
  keyring: Keyring
  totals: Totals
  pendingCounts: PendingCounts
}

export interface OpenPlatform {
  context: PlatformContext
  /** Connections for periodic work, which may take longer. */
  backgroundDatabase: Kysely<Tables>
  /** @throws when changes can't be written */
  testWrite: () => Promise<void>
  rowChanges: RowChanges
  close(): Promise<void>
}

/** Reads and writes nothing. */
export function openPlatform(config: Config, runtime: Runtime, processKind: ProcessKind): OpenPlatform {
  const onConnectionLost = (error: Error) => runtime.log.warn({ err: error }, 'a database connection was lost')
  const logSql = config.logLevel === 'debug' ? sqlLogger(runtime.log) : undefined
  const {
    database,
    background,
    slowReads,
    testWrite,
    rowChanges,
    close: closeDatabase,
  } = openDatabase(config.database, onConnectionLost, processKind, logSql)
  const passwords = createPasswordHasher(threadsOf(config.workerCount), spendOtherTime)
  const keyring = createKeyring(config.secret, runtime.randomBytes, config.previousSecret)
  const pendingCounts = createPendingCounts({ database: background, log: runtime.log })
  return {
    context: { ...runtime, config, database, slowReads, passwords, keyring, totals: createTotals(), pendingCounts },
    backgroundDatabase: background,
    testWrite,
    rowChanges,
    async close() {
      await pendingCounts.close()
      await passwords.close()
      await closeDatabase()
    },
  }
}

/** Statements without their parameters, which contain personal data and hashes of secrets. */
function sqlLogger(log: FastifyBaseLogger): Logger {
  return ({ query, queryDurationMillis }) =>
    log.debug({ sql: query.sql, durationMilliseconds: queryDurationMillis }, 'sql')
}
