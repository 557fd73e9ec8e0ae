import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import { createRepeatedEvents, type RepeatedEvents } from './audit/repeated-events.ts'
import type { Config } from './config.ts'
import { openDatabase } from './database/open.ts'
import type { RowChanges } from './database/row-changes.ts'
import type { Tables } from './database/tables.ts'
import { createPasswordHasher, type PasswordHasher, threadsOf } from './secrets/passwords.ts'
import { createSealer, type Sealer } from './secrets/sealing.ts'
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
  /** PostgreSQL's connections, for what speaks to it directly; undefined on SQLite. */
  pool: Pool | undefined
  /** SQLite's word on what was committed; undefined on PostgreSQL. */
  rowChanges: RowChanges | undefined
  close(): Promise<void>
}

/** Opens what the configuration names. Nothing is read or written yet. */
export function openContext(config: Config, world: World): OpenContext {
  const { database, slowReads, pool, rowChanges } = openDatabase(config.database, (error) =>
    world.log.warn({ err: error }, 'a database connection was lost'),
  )
  const passwords = createPasswordHasher(threadsOf(config.workerCount))
  const sealer = createSealer(config.secret, world.randomBytes, config.previousSecret)
  const repeatedEvents = createRepeatedEvents({ ...world, database, sealer })
  return {
    context: { ...world, config, database, slowReads, passwords, sealer, repeatedEvents, totals: createTotals() },
    pool,
    rowChanges,
    async close() {
      await passwords.close()
      await repeatedEvents.close()
      await slowReads.destroy()
      await database.destroy()
    },
  }
}
