import { PostgresDialect } from 'kysely'
import pg from 'pg'

const CONNECTIONS_MAXIMUM = 10
/** For questions that may take long, so that they never take the connections that sessions are checked on. */
export const LISTING_CONNECTIONS = 2
const CONNECT_MILLISECONDS = 3_000
const STATEMENT_MILLISECONDS = 10_000

/** Kysely on `pg`. Counts and times (int8) come back as numbers: ours stay far below 2^53. */
export function openPostgres(
  url: string,
  onConnectionLost: (error: Error) => void,
  connectionsMaximum = CONNECTIONS_MAXIMUM,
): { dialect: PostgresDialect; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'accounts',
    max: connectionsMaximum,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
    types: {
      getTypeParser: (type, format) =>
        type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  })
  // An idle connection that breaks must not end the process; the pool makes a new one when it is needed.
  pool.on('error', onConnectionLost)
  // One that breaks in use tells so besides failing its query; unheard, that would end the process too.
  pool.on('connect', (client) => client.on('error', onConnectionLost))
  return { dialect: new PostgresDialect({ pool }), pool }
}
