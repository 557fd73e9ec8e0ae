import { randomUUID } from 'node:crypto'
import { Kysely, type KyselyConfig } from 'kysely'
import { allowsStandby } from '../config/postgres-url.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../time/time-units.ts'
import type { DeadlineClient } from './postgres-client.ts'
import { PoolDialect, RequestsDialect } from './postgres-driver.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { DeadlinePool, type PoolClient, type PoolOptions, SERVICE_NAME } from './postgres-pool.ts'
import { PostgresRowChanges } from './postgres-row-changes.ts'
import type { Tables } from './tables.ts'
import { READING_MILLISECONDS } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

/** The server cancels a lock wait, then a statement, before the client destroys the connection. */
const REQUEST_LIMITS = {
  connectMilliseconds: 1_000,
  answerMilliseconds: 1_700,
  // The transaction of a lost connection keeps its locks for idle_in_transaction_session_timeout.
  server: { statement_timeout: 1_400, lock_timeout: 1_200, idle_in_transaction_session_timeout: 4_000 },
}
const BACKGROUND_LIMITS = {
  ...REQUEST_LIMITS,
  answerMilliseconds: 3_000,
  server: { ...REQUEST_LIMITS.server, statement_timeout: 2_600 },
}
/** Every request with a session waits for the change rows, and no other statement may keep it waiting. */
const CHANGE_ROW_LIMITS = {
  ...REQUEST_LIMITS,
  connectMilliseconds: READING_MILLISECONDS,
  answerMilliseconds: READING_MILLISECONDS,
  server: { ...REQUEST_LIMITS.server, statement_timeout: READING_MILLISECONDS - 100 },
}
/**
 * A migration of millions of rows takes minutes, and the build of an index of hundreds of gigabytes hours. The build is
 * one statement, and a canceled one begins anew.
 */
const COMMAND_LIMITS = {
  connectMilliseconds: 10_000,
  answerMilliseconds: DAY_MILLISECONDS + MINUTE_MILLISECONDS,
  // The snapshot of a copy is idle while its target works. pg does not send 0, so that the limit of the role would
  // apply.
  server: {
    statement_timeout: DAY_MILLISECONDS,
    lock_timeout: MINUTE_MILLISECONDS,
    idle_in_transaction_session_timeout: HOUR_MILLISECONDS,
  },
}

/** The most connections of each pool of a service. */
const POOL_SIZES = { slowReads: 2, reads: 5, changes: 10, background: 2, changeRows: 1 }
export const SERVICE_CONNECTIONS = Object.values(POOL_SIZES).reduce((sum, size) => sum + size)

/** The role or the database may have a limit of its own. Superusers pass it, and use the reserved connections. */
const CONNECTION_LIMIT = `select least(
    current_setting('max_connections')::integer,
    case when not rolsuper then current_setting('max_connections')::integer
      - current_setting('superuser_reserved_connections')::integer
      - coalesce(current_setting('reserved_connections', true)::integer, 0) end,
    case when not rolsuper then nullif(rolconnlimit, -1) end,
    case when not rolsuper then nullif(datconnlimit, -1) end
  ) as "connectionLimit"
  from pg_roles, pg_database where rolname = session_user and datname = current_database()`

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
    slowReads: new Kysely<Tables>({ dialect: new PoolDialect(slowReads), ...logging }),
    // Uses the connections for reads: changes that wait for locked rows must not make the process unready.
    testWrite: () => testWrite(reads),
    rowChanges: new PostgresRowChanges(changeRows),
    // A Kysely that has run no statement would leave its pool open, which others use, too. An open connection keeps the
    // process alive for ten seconds.
    async close() {
      endWatch()
      for (const pool of [changeRows, reads, changes, background, slowReads]) await pool.end()
    },
  }
}

/**
 * @param pools the next one is used if the one before gives no answer: long lists may use all of its connections
 * @returns false also when it can't be known: for the invented process id of a pooler, or without an answer of the
 *   server
 */
async function isServerProcessAtWork(pools: DeadlinePool[], { processId }: PoolClient): Promise<boolean> {
  const statement = "select from pg_stat_activity where pid = $1 and state = 'active'"
  for (const pool of pools) {
    const answer = await pool.query(statement, [processId]).catch(() => undefined)
    if (answer) return answer.rows.length > 0
  }
  return false
}

/** Commands share one pool and wait long. */
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

/** @returns the time limits of requests that the server does not apply. PgBouncer does not pass them on. */
export async function listMissingLimits(url: string): Promise<string[]> {
  const pool = new DeadlinePool({
    ...REQUEST_LIMITS,
    hosts: new PostgresHosts(url, allowsStandby(url)),
    connectionsMaximum: 1,
    onConnectionLost: () => {},
  })
  try {
    const names = Object.keys(REQUEST_LIMITS.server)
    const { rows } = await pool.query(
      `select name from pg_settings where name = any($1) and setting = '0' order by name`,
      [names],
    )
    return rows.map(({ name }) => name)
  } finally {
    await pool.end()
  }
}

/**
 * A pooler shares few connections of the server among many clients, so a limit there is no problem.
 * @param mayBeStandby whether a standby is no error
 * @returns the problem of a server that allows fewer connections than the processes use, and its solution
 * @throws ReadOnlyServer
 */
export async function findConnectionProblem(
  url: string,
  processCount: number,
  mayBeStandby: boolean,
): Promise<string | undefined> {
  const pool = new DeadlinePool({
    ...COMMAND_LIMITS,
    hosts: new PostgresHosts(url, mayBeStandby),
    connectionsMaximum: 1,
    preparesStatements: true,
    onConnectionLost: () => {},
  })
  try {
    const limit = await readConnectionLimit(await pool.connect())
    const needed = processCount * SERVICE_CONNECTIONS
    if (limit === undefined || limit >= needed) return undefined
    return `the server allows ${limit} connections, and the service uses up to ${needed}: raise max_connections, or the limit of the role (alter role … connection limit) or the database. Until then, requests may get 503`
  } finally {
    await pool.end()
  }
}

/** @returns undefined behind a pooler, and on engines without these tables */
async function readConnectionLimit(client: DeadlineClient): Promise<number | undefined> {
  try {
    return client.canPrepare ? (await client.query(CONNECTION_LIMIT)).rows[0]?.connectionLimit : undefined
  } catch (error) {
    if (isUnavailable(error)) throw error
    return undefined
  } finally {
    client.release()
  }
}

/**
 * Sorts 256 KiB in a temporary file of the server, which fails on a full disk. The update of an existing row may not.
 * Then commits one row, because only COMMIT waits for a standby. PostgreSQL runs the statements in one transaction.
 */
async function testWrite(pool: DeadlinePool): Promise<void> {
  await pool.query(`set local work_mem = '64kB';
    select count(*) from (
      select i, repeat('x', 1000) as filler from generate_series(1, 256) as i order by filler, i offset 0
    ) as rows;
    insert into "writeTests" (id, "count") values (1, 1)
    on conflict (id) do update set "count" = ("writeTests"."count" + 1) % 1000000`)
}
