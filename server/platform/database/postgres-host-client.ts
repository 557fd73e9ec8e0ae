import pg from 'pg'
import { findDatabaseName } from '../config/postgres-url.ts'
import { isUnavailable } from './unavailable.ts'

/** The limit for each query that a new connection sends before its first statement. */
export const ASK_MILLISECONDS = 500

const END_MILLISECONDS = 1_000

/** No call of pg_is_in_recovery(): Pgpool-II sends it to the primary, also if it sends our reads to a standby. */
const IS_READ_ONLY = {
  text: `select coalesce(current_setting('in_hot_standby', true), 'off') = 'on' or
    current_setting('default_transaction_read_only')::boolean as "isReadOnly"`,
  query_timeout: ASK_MILLISECONDS,
}

const PROCESS_ID = { text: 'select pg_backend_pid() as "processId"', query_timeout: ASK_MILLISECONDS }

/** An engine without the setting ignores the statement. */
const withoutLimit = (name: string) =>
  `select set_config('${name}', '0', false) where current_setting('${name}', true) is not null`

/**
 * Another isolation level refuses a statement that waited for a changed row. A warning tells that a COMMIT stopped
 * waiting for the standby. `idle_session_timeout` could close a connection while a statement is sent.
 */
const SESSION_SETTINGS = {
  text: `set session characteristics as transaction isolation level read committed;
    set client_min_messages = warning;
    ${withoutLimit('idle_session_timeout')}`,
  query_timeout: ASK_MILLISECONDS,
}

/** PostgreSQL 16 and earlier do not have this setting. */
const NO_TRANSACTION_TIMEOUT = {
  text: withoutLimit('transaction_timeout'),
  query_timeout: ASK_MILLISECONDS,
}

/** Each promotion increases the timeline: the first 8 hexadecimal digits in the name of a WAL file. */
const TIMELINE = {
  text: `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline`,
  query_timeout: ASK_MILLISECONDS,
}

export class HostClient extends pg.Client {
  /** Not enumerable, because pg adds the client to errors, which are logged, and the URL contains the password. */
  readonly #url: string
  /** `in_hot_standby` and `default_transaction_read_only`, which PostgreSQL reports after each change. */
  private reported: Record<string, string> = {}
  /** Set when COMMIT stopped waiting for the standby: the change may be lost in a failover. */
  hasUnreplicatedCommit = false
  canPrepare = false

  constructor(url: string, options: pg.ClientConfig) {
    super({ ...options, connectionString: url })
    this.#url = url
    const { connectionParameters } = this as unknown as { connectionParameters: { database: string } }
    connectionParameters.database = findDatabaseName(url) ?? connectionParameters.database
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      this.reported[parameterName] = parameterValue
    })
    // After an error, such as a missing password, pg leaves the socket open, so the process would not end.
    this.connection.on('error', () => this.connection.stream.destroy())
    // The language of the message is that of the server, so the name of the function in the server is compared.
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.hasUnreplicatedCommit = true
    })
  }

  get url(): string {
    return this.#url
  }

  get hostAndPort(): string {
    return new URL(this.#url).host
  }

  /** pg would wait for the answers to statements that were sent ahead, which may never arrive. */
  destroy(): void {
    this.connection.stream.destroy()
  }

  get reportsReadOnly(): boolean {
    return this.reported.in_hot_standby === 'on' || this.reported.default_transaction_read_only === 'on'
  }

  async isReadOnly(): Promise<boolean> {
    // PgBouncer repeats what its first server reported, also after the promotion of that server.
    return this.reportsReadOnly && (await this.isServerOfReadsReadOnly())
  }

  /** A pooler may have reported the parameters of another server than the one that gets our reads. */
  async isServerOfReadsReadOnly(): Promise<boolean> {
    return (await this.query(IS_READ_ONLY)).rows[0].isReadOnly
  }

  /** @returns 0 on engines without timelines */
  async readTimeline(): Promise<number> {
    try {
      return (await this.query(TIMELINE)).rows[0].timeline
    } catch (error) {
      if (isUnavailable(error) || !(error as { code?: string }).code) throw error
      return 0
    }
  }

  /** A pooler gives each transaction another server process, and reports a process id of its own. */
  async keepsServerProcess(): Promise<boolean> {
    const { rows } = await this.query(PROCESS_ID)
    return rows[0].processId === this.processId
  }

  get processId(): unknown {
    return (this as { processID?: unknown }).processID
  }

  async setSessionSettings(): Promise<void> {
    await this.query(SESSION_SETTINGS)
  }

  async allowLongTransactions(): Promise<void> {
    await this.query(NO_TRANSACTION_TIMEOUT)
  }

  /** pg waits until the server closes the connection, which a frozen server never does. */
  override end(callback?: (error: Error) => void): Promise<void> {
    const timer = setTimeout(() => this.destroy(), END_MILLISECONDS).unref()
    this.connection.once('end', () => clearTimeout(timer))
    return callback ? Promise.resolve(super.end(callback)) : super.end()
  }
}
