import { allowsStandby } from '../config/postgres-url.ts'
import { COMMAND_LIMITS, REQUEST_LIMITS, SERVICE_CONNECTIONS } from './postgres.ts'
import type { DeadlineClient } from './postgres-client.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { DeadlinePool } from './postgres-pool.ts'
import { isUnavailable } from './unavailable.ts'

/** @returns the time limits of requests that the server does not apply. PgBouncer does not pass them on. */
export async function listMissingLimits(url: string): Promise<string[]> {
  const pool = new DeadlinePool({
    ...REQUEST_LIMITS,
    hosts: new PostgresHosts(url, allowsStandby(url)),
    connectionsMaximum: 1,
    onConnectionLost: () => {},
  })
  try {
    const names = Object.keys(REQUEST_LIMITS.serverMilliseconds)
    const { rows } = await pool.query(
      `select name from pg_settings where name = any($1) and setting = '0' order by name`,
      [names],
    )
    return rows.map(({ name }) => name)
  } finally {
    await pool.end()
  }
}

/** The role or the database may have a limit. Superusers pass it, and use the reserved connections. */
const CONNECTION_LIMIT = `select case
    when rolsuper then current_setting('max_connections')::integer
    else least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true)::integer, 0),
      nullif(rolconnlimit, -1),
      nullif(datconnlimit, -1)
    )
  end as "connectionLimit"
  from pg_roles, pg_database where rolname = session_user and datname = current_database()`

/** @returns the problem of a server that allows too few connections, and its solution. @throws ReadOnlyServer */
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

/** Undefined behind a pooler, which needs few connections for many clients, and on engines without these tables. */
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
