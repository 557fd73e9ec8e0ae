import pg from 'pg'
import { DeadlineClient, type QueryResult } from './postgres-client.ts'
import { spendTime } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Finds connections that a firewall or a crashed machine cut off without telling. */
const KEEP_ALIVE_MILLISECONDS = 5_000

export interface PoolOptions {
  url: string
  connectionsMaximum: number
  /** The wait for a free connection, and the time that a new one has to open. */
  connectMilliseconds: number
  /** The client's limit for one statement. It is above the server's, which ends a statement and spares the connection. */
  answerMilliseconds: number
  /** The server's limits, in milliseconds; 0 is none. */
  server: { statement_timeout: number; lock_timeout: number; idle_in_transaction_session_timeout: number }
  onConnectionLost: (error: Error) => void
  /** Tells a long statement from a dead server: it is asked once a second while a statement runs. */
  stillAnswers?: () => Promise<boolean>
}

/** PostgreSQL connections with a limit for every wait and every answer. */
export class DeadlinePool {
  readonly options: PoolOptions
  private pool: pg.Pool
  private heardAt = new WeakMap<object, number>()
  /** Connections that have not answered since then may be as dead as the one that was silent. */
  private silentAt = Number.NEGATIVE_INFINITY

  constructor(options: PoolOptions) {
    this.options = options
    this.pool = new pg.Pool({
      connectionString: options.url,
      application_name: 'accounts',
      max: options.connectionsMaximum,
      connectionTimeoutMillis: options.connectMilliseconds,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
      ...options.server,
      // Counts and times (int8) come back as numbers: ours stay far below 2^53.
      types: {
        getTypeParser: (type, format) =>
          type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
      },
    })
    // An idle connection that breaks must not end the process; the pool makes a new one when it is needed.
    this.pool.on('error', options.onConnectionLost)
    this.pool.on('connect', (client) => {
      this.markHeard(client)
      // A connection that breaks in use emits an error besides failing its query; without a listener it ends the process.
      client.on('error', options.onConnectionLost)
    })
  }

  /** @throws DatabaseUnavailable when no connection becomes free in time */
  async connect(): Promise<DeadlineClient> {
    for (;;) {
      const client = await spendTime(this.options.connectMilliseconds, (milliseconds) => this.acquire(milliseconds))
      if ((this.heardAt.get(client) ?? 0) > this.silentAt) return new DeadlineClient(client, this)
      client.release(true)
    }
  }

  /** One statement on a connection of its own. */
  async query(statement: string): Promise<QueryResult> {
    const client = await this.connect()
    try {
      return await client.query(statement)
    } finally {
      client.release()
    }
  }

  end(): Promise<void> {
    return this.pool.end()
  }

  markHeard(client: pg.PoolClient): void {
    this.heardAt.set(client, performance.now())
  }

  /** After this, every idle connection is replaced before it is used: no request pays for finding it dead. */
  markSilent(): void {
    this.silentAt = performance.now()
  }

  private async acquire(milliseconds: number): Promise<pg.PoolClient> {
    const connecting = this.pool.connect()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), milliseconds)
    })
    const client = await Promise.race([connecting, late]).finally(() => clearTimeout(timer))
    if (client) return client
    connecting.then(
      (unused) => unused.release(),
      () => {},
    )
    throw new DatabaseUnavailable(`No connection was free within ${Math.round(milliseconds)} ms`)
  }
}
