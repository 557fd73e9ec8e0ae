import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { createRepeatedEvents, type RepeatedEvents } from '../core/audit/repeated-events.ts'
import type { Config } from './config/config.ts'
import { createPasswordHasher, type PasswordHasher, threadsOf } from './crypto/passwords.ts'
import { createSealer, type Sealer } from './crypto/sealing.ts'
import { openDatabase, type Purpose } from './database/open.ts'
import type { RowChanges } from './database/row-changes.ts'
import type { Tables } from './database/tables.ts'
import { createTotals, type Totals } from './totals.ts'

/** What of the outside can be replaced: tests bring another clock and other randomness. */
export interface World {
  /** Epoch milliseconds. */
  now: () => number
  randomBytes: (byteCount: number) => Buffer
  log: FastifyBaseLogger
}

/** What every use case gets. */
export interface Context extends World {
  config: Config
  database: Kysely<Tables>
  /** For questions that may take long: reads only, and never in the way of the others. */
  slowReads: Kysely<Tables>
  passwords: PasswordHasher
  sealer: Sealer
  repeatedEvents: RepeatedEvents
  totals: Totals
}

export interface OpenContext {
  context: Context
  /** The same for work beside the requests, which may take longer and has database connections of its own. */
  background: Context
  /** Writes as a change does, and leaves nothing behind. @throws when changes can't be written right now */
  testWrite: () => Promise<void>
  /** SQLite's word on what was committed; undefined on PostgreSQL. */
  rowChanges: RowChanges | undefined
  close(): Promise<void>
}

/** Opens what the configuration names. Nothing is read or written yet. */
export function openContext(config: Config, world: World, purpose: Purpose = 'command'): OpenContext {
  const onConnectionLost = (error: Error) => world.log.warn({ err: error }, 'a database connection was lost')
  const { database, background, slowReads, ...connections } = openDatabase(config.database, onConnectionLost, purpose)
  const passwords = createPasswordHasher(threadsOf(config.workerCount))
  const sealer = createSealer(config.secret, world.randomBytes, config.previousSecret)
  const repeatedEvents = createRepeatedEvents({ ...world, database: background, sealer })
  const shared = { ...world, config, slowReads, passwords, sealer, repeatedEvents, totals: createTotals() }
  return {
    context: { ...shared, database },
    background: { ...shared, database: background },
    testWrite: connections.testWrite,
    rowChanges: connections.rowChanges,
    async close() {
      await passwords.close()
      await repeatedEvents.close()
      await slowReads.destroy()
      await background.destroy()
      await database.destroy()
    },
  }
}
