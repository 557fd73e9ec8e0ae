import pg from 'pg'
import { allowsStandby, listHostUrls } from '../config/postgres-url.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** The limit for opening a connection to one host while another host may be the primary. */
const CONNECT_MILLISECONDS = 500
/** Signing in at a standby costs processor time, so a search that failed answers for all requests of this time. */
const SEARCH_PAUSE_MILLISECONDS = 200

const IS_READ_ONLY = {
  text: `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "isReadOnly"`,
  query_timeout: CONNECT_MILLISECONDS,
}

/**
 * The hosts of DATABASE_URL, of which one is the primary. All pools of a process share this object, so that they move to
 * a promoted standby together.
 */
export class PostgresHosts {
  /** The URL of the host that last accepted changes. */
  current: string
  private urls: string[]
  private allowsStandby: boolean
  private search: Promise<void> | undefined

  constructor(url: string) {
    this.urls = listHostUrls(url)
    this.current = this.urls[0] ?? url
    this.allowsStandby = allowsStandby(url)
  }

  get areSeveral(): boolean {
    return this.urls.length > 1
  }

  /** The client class of a pool. A pool creates its clients, so each chooses its host in its constructor. */
  createClientClass() {
    const hosts = this
    return class extends HostClient {
      constructor(options: pg.ClientConfig = {}) {
        super(hosts.current, hosts.areSeveral ? { ...options, connectionTimeoutMillis: CONNECT_MILLISECONDS } : options)
      }
    }
  }

  /** @throws DatabaseUnavailable for a standby */
  async assertWritable(client: HostClient): Promise<void> {
    if (this.allowsStandby || !client.reportsReadOnly) return
    // PgBouncer repeats what its first server reported, also after the promotion of that server.
    const { rows } = await client.query(IS_READ_ONLY)
    if (rows[0].isReadOnly) throw new DatabaseUnavailable(`${nameOf(client.url)} is read-only`)
  }

  /**
   * Asks all hosts concurrently, so that a host that hangs delays no other. Callers share one search.
   * @throws DatabaseUnavailable when no host accepts changes
   */
  findWritable(): Promise<void> {
    if (!this.search) {
      this.search = this.askAll()
      const forget = () => {
        this.search = undefined
      }
      this.search.then(forget, () => setTimeout(forget, SEARCH_PAUSE_MILLISECONDS).unref())
    }
    return this.search
  }

  private async askAll(): Promise<void> {
    try {
      this.current = await Promise.any(this.urls.map((url) => this.ask(url)))
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(({ message }) => message)
      throw new DatabaseUnavailable(`No host of DATABASE_URL accepts changes (${reasons.join('; ')})`)
    }
  }

  private async ask(url: string): Promise<string> {
    const client = new HostClient(url, { connectionTimeoutMillis: CONNECT_MILLISECONDS })
    // Without a listener, the error of a broken connection ends the process.
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      throw new Error(`${nameOf(url)}: ${message || code}`)
    }
    await this.assertWritable(client).finally(() => client.end())
    return url
  }
}

/** A connection to one host. */
export class HostClient extends pg.Client {
  /** Not enumerable, because pg adds the client to errors, which are logged, and the URL contains the password. */
  readonly #url: string
  /** PostgreSQL reports these two parameters after each connect and each change. Other engines do not. */
  private reported: Record<string, string> = {}
  /** Set when COMMIT stopped waiting for the standby: the change may be lost in a failover. */
  hasUnreplicatedCommit = false

  constructor(url: string, options: pg.ClientConfig) {
    super({ ...options, connectionString: url })
    this.#url = url
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      this.reported[parameterName] = parameterValue
    })
    // The message is in the language of the server, and the function is not.
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.hasUnreplicatedCommit = true
    })
  }

  get url(): string {
    return this.#url
  }

  get reportsReadOnly(): boolean {
    return this.reported.in_hot_standby === 'on' || this.reported.default_transaction_read_only === 'on'
  }
}

/** Host and port, without user and password. */
function nameOf(url: string): string {
  return new URL(url).host
}
