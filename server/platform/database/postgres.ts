import { randomUUID } from 'node:crypto'
import { Kysely, type KyselyConfig } from 'kysely'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../time/time-units.ts'
import { LongReadsDialect, PoolDialect, RequestsDialect } from './postgres-driver.ts'
import { DeadlinePool, type PoolClient, type PoolOptions, SERVICE_NAME } from './postgres-pool.ts'
import { PostgresRowChanges } from './postgres-row-changes.ts'
import type { Tables } from './tables.ts'
import { READING_MILLISECONDS } from './time-budget.ts'

/** The server cancels a lock wait, then a statement, before the client destroys the connection. */
export const REQUEST_LIMITS = {
  connectMilliseconds: 1_000,
  answerMilliseconds: 1_700,
  // The transaction of a lost connection keeps its locks for idle_in_transaction_session_timeout.
  serverMilliseconds: { statement_timeout: 1_400, lock_timeout: 1_200, idle_in_transaction_session_timeout: 4_000 },
}
const BACKGROUND_LIMITS = {
  ...REQUEST_LIMITS,
  answerMilliseconds: 3_000,
  serverMilliseconds: { ...REQUEST_LIMITS.serverMilliseconds, statement_timeout: 2_600 },
}
/** Every request with a session waits for the change rows. */
const CHANGE_ROW_LIMITS = {
  ...REQUEST_LIMITS,
  connectMilliseconds: READING_MILLISECONDS,
  answerMilliseconds: READING_MILLISECONDS,
  serverMilliseconds: { ...REQUEST_LIMITS.serverMilliseconds, statement_timeout: READING_MILLISECONDS - 100 },
}
/** The build of an index of hundreds of gigabytes is one statement of hours, and a canceled one begins anew. */
export const COMMAND_LIMITS = {
  connectMilliseconds: 10_000,
  answerMilliseconds: DAY_MILLISECONDS + MINUTE_MILLISECONDS,
  // The snapshot of a copy is idle while its target works. pg does not send 0, which would mean no limit.
  serverMilliseconds: {
    statement_timeout: DAY_MILLISECONDS,
    lock_timeout: MINUTE_MILLISECONDS,
    idle_in_transaction_session_timeout: HOUR_MILLISECONDS,
  },
}

const POOL_SIZES = { slowReads: 2, reads: 5, changes: 10, background: 2, changeRows: 1 }
export const SERVICE_CONNECTIONS = Object.values(POOL_SIZES).reduce((sum, size) => sum + size)

type Logging = Pick<KyselyConfig, 'log'>
type Common = Pick<PoolOptions, 'hosts' | 'onConnectionLost'>

/** Beside the pools, `watch` connects to each of several hosts for a moment every 2 s. */
export function openForService(common: Common, logging: Logging) {
  const slowReads = new DeadlinePool({ ...common, ...REQUEST_LIMITS, connectionsMaximum: POOL_SIZES.slowReads })
  const isAtWork = (client: PoolClient) => isServerProcessAtWork([slowReads, reads], client)
  const poolOptions = { ...common, isAtWork }
  const preparingOptions = { ...poolOptions, preparesStatements: true }
  const reads = new DeadlinePool({ ...preparingOptions, ...REQUEST_LIMITS, connectionsMaximum: POOL_SIZES.reads })
  const changes = new DeadlinePool({
    ...preparingOptions,
    ...REQUEST_LIMITS,
    connectionsMaximum: POOL_SIZES.changes,
    sendsAhead: true,
  })
  const background = new DeadlinePool({
    ...poolOptions,
    ...BACKGROUND_LIMITS,
    connectionsMaximum: POOL_SIZES.background,
  })
  const changeRows = new DeadlinePool({
    ...preparingOptions,
    ...CHANGE_ROW_LIMITS,
    connectionsMaximum: POOL_SIZES.changeRows,
  })
  const endWatch = common.hosts.watch()
  return {
    database: new Kysely<Tables>({ dialect: new RequestsDialect(reads, changes), ...logging }),
    background: new Kysely<Tables>({ dialect: new PoolDialect(background), ...logging }),
    slowReads: new Kysely<Tables>({ dialect: new LongReadsDialect(slowReads), ...logging }),
    // Uses the connections for reads: changes that wait for locked rows must not make the process unready.
    testWrite: () => testWrite(reads),
    rowChanges: new PostgresRowChanges(changeRows),
    // A Kysely that has run no statement closes no pool, and an open connection delays the end of the process by 10 s.
    async close() {
      endWatch()
      for (const pool of [changeRows, reads, changes, background, slowReads]) await pool.end()
    },
  }
}

/** Long lists may use all connections of the first pool. @returns false also behind a pooler, or without an answer */
async function isServerProcessAtWork(pools: DeadlinePool[], { processId }: PoolClient): Promise<boolean> {
  const statement = "select from pg_stat_activity where pid = $1 and state = 'active'"
  for (const pool of pools) {
    const answer = await pool.query(statement, [processId]).catch(() => undefined)
    if (answer) return answer.rows.length > 0
  }
  return false
}

export function openForCommand(common: Common, logging: Logging) {
  // A unique name, so that a move or a restore can tell its connections from those of other processes.
  const applicationName = `${SERVICE_NAME} command ${randomUUID()}`
  const pool = new DeadlinePool({
    ...common,
    ...COMMAND_LIMITS,
    connectionsMaximum: 5,
    applicationName,
    allowsLongTransactions: true,
  })
  const database = new Kysely<Tables>({ dialect: new PoolDialect(pool), ...logging })
  const endWatch = common.hosts.watch()
  return {
    database,
    background: database,
    slowReads: database,
    testWrite: () => testWrite(pool),
    rowChanges: new PostgresRowChanges(pool),
    close() {
      endWatch()
      return pool.end()
    },
  }
}

/** Sorts in a temporary file, because an update may succeed on a full disk. Only COMMIT waits for a standby. */
async function testWrite(pool: DeadlinePool): Promise<void> {
  await pool.query(`set local work_mem = '64kB';
    select count(*) from (
      select i, repeat('x', 1000) as filler from generate_series(1, 256) as i order by filler, i offset 0
    ) as rows;
    insert into "writeTests" (id, "count") values (1, 1)
    on conflict (id) do update set "count" = ("writeTests"."count" + 1) % 1000000`)
}
