import pg from 'pg'
import { GivenUpConnections, type IsAtWork } from './given-up-connections.ts'
import { DeadlineClient, type QueryResult } from './postgres-client.ts'
import type { HostClient } from './postgres-host-client.ts'
import type { PostgresHosts } from './postgres-hosts.ts'
import { PostgresStatements } from './postgres-statements.ts'
import { endWithin, spendTime } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Detects connections that a firewall or a crashed machine has cut off silently. */
const KEEP_ALIVE_MILLISECONDS = 5_000

/** The application name of the connections of a service, also of earlier versions. */
export const SERVICE_NAME = 'accounts'

export interface PoolOptions {
  hosts: PostgresHosts
  connectionsMaximum: number
  /** The limit for waiting for a free connection, and for opening a new one. */
  connectMilliseconds: number
  /** The client's limit for a statement. The server's limit is lower, and keeps the connection usable. */
  answerMilliseconds: number
  /** The limits that the server applies. */
  serverMilliseconds: { statement_timeout: number; lock_timeout: number; idle_in_transaction_session_timeout: number }
  onConnectionLost: (error: Error) => void
  applicationName?: string
  /** Not for long lists: the plan for all values would be wrong for a user with a million events. */
  preparesStatements?: boolean
  allowsLongTransactions?: boolean
  /** Whether a connection sends statements before earlier ones are answered. */
  sendsAhead?: boolean
  /** Without it, given-up connections do not keep their place in the pool. */
  isAtWork?: IsAtWork
}

/** The message of pg when all connections are in use. */
const POOL_IS_FULL = 'timeout exceeded when trying to connect'

export type PoolClient = pg.PoolClient & HostClient

/** Every wait has a limit: docs/decisions/06-time-limits.md. */
export class DeadlinePool {
  readonly options: PoolOptions
  readonly statements = new PostgresStatements()
  private pool: pg.Pool
  private heardAt = new WeakMap<object, number>()
  private givenUp: GivenUpConnections
  private ending: Promise<void> | undefined

  constructor(options: PoolOptions) {
    this.options = options
    this.givenUp = new GivenUpConnections(options.isAtWork)
    this.pool = new pg.Pool({
      Client: options.hosts.createClientClass(),
      onConnect: (client) => this.prepareClient(client as HostClient),
      application_name: options.applicationName ?? SERVICE_NAME,
      max: options.connectionsMaximum,
      pipeline: options.sendsAhead === true,
      connectionTimeoutMillis: options.connectMilliseconds,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
      ...options.serverMilliseconds,
      // Our counts and times (int8) stay far below 2^53.
      types: {
        getTypeParser: (type, format) =>
          type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
      },
    })
    // Without a listener, the error of a broken idle connection ends the process. The client reports the error, too.
    this.pool.on('error', () => {})
    this.pool.on('connect', (client) => {
      this.markHeard(client)
      // This listener is the first one, because the pool adds the client to the error: a log line of 9 KB.
      client.prependListener('error', options.onConnectionLost)
    })
  }

  /** @throws DatabaseUnavailable when no connection is free in time */
  async connect(): Promise<DeadlineClient> {
    for (;;) {
      const client = await spendTime(this.options.connectMilliseconds, (milliseconds) => this.acquire(milliseconds))
      if (this.isUsable(client)) return new DeadlineClient(client, this)
      client.release(true)
    }
  }

  async query(statement: string, parameters: readonly unknown[] = []): Promise<QueryResult> {
    const client = await this.connect()
    try {
      return await client.query(statement, parameters)
    } finally {
      client.release()
    }
  }

  /** `destroy` of Kysely may call it again. */
  end(): Promise<void> {
    this.givenUp.destroyAll()
    this.ending ??= this.pool.end()
    return this.ending
  }

  giveUp(client: PoolClient, answering: Promise<unknown>): void {
    this.givenUp.add(client, answering)
  }

  markHeard(client: pg.PoolClient): void {
    this.heardAt.set(client, performance.now())
  }

  lastHeard(client: pg.PoolClient): number {
    return this.heardAt.get(client) ?? 0
  }

  /** All pools replace their idle connections. Otherwise each pool would first wait for a limit of its own. */
  markSilent(): void {
    this.options.hosts.silentAt = performance.now()
  }

  /** False for a connection to a former primary, which may answer with old data, and for one that may be dead. */
  private isUsable(client: PoolClient): boolean {
    const { currentUrl, silentAt } = this.options.hosts
    return client.url === currentUrl && this.lastHeard(client) > silentAt
  }

  private async prepareClient(client: HostClient): Promise<void> {
    const { hosts } = this.options
    await hosts.assertPrimary(client)
    if (!(await client.keepsServerProcess())) return hosts.assertPoolerOfPrimary(client)
    await client.setSessionSettings()
    if (this.options.allowsLongTransactions) await client.allowLongTransactions()
    client.canPrepare = this.options.preparesStatements === true
  }

  private async acquire(milliseconds: number): Promise<PoolClient> {
    const connecting = this.open().catch(refuse)
    try {
      return await endWithin(milliseconds, connecting, 'No connection was free within')
    } catch (error) {
      connecting.then(
        (unused) => unused.release(),
        () => {},
      )
      throw error
    }
  }

  private async open(): Promise<PoolClient> {
    const { hosts } = this.options
    if (hosts.isSearchNeeded) await hosts.searchPrimary()
    try {
      return (await this.pool.connect()) as PoolClient
    } catch (error) {
      if (!hosts.areSeveral || (error as Error).message === POOL_IS_FULL) throw error
      await hosts.searchPrimary()
      return (await this.pool.connect()) as PoolClient
    }
  }
}

/** The same request may succeed later, even after a changed password or an expired certificate. */
function refuse(error: NodeJS.ErrnoException): never {
  throw error instanceof DatabaseUnavailable
    ? error
    : new DatabaseUnavailable(error.message || error.code, { cause: error })
}
