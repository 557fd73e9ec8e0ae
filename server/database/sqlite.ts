import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createMutex } from './mutex.ts'
import type { RowChanges } from './row-changes.ts'
import { isBusy, StatementCache } from './sqlite-statements.ts'

/** How long one commit may wait for another process, or for another transaction of this one. */
const BUSY_MILLISECONDS = 5_000
/** Enough to hold the upper levels of every index; it takes a session look-up from 16 µs to 10 µs. */
const CACHE_KIBIBYTES = 65_536

const DATA_VERSION = CompiledQuery.raw('PRAGMA data_version')

/**
 * Kysely on `node:sqlite`: one connection writes, another one reads, so that a read never sees what is not committed.
 * A commit is on the disk when it is acknowledged (WAL with synchronous=FULL).
 * @param path of the file; it and its folder are made when they are not there
 */
export class SqliteDialect implements Dialect {
  private driver: SqliteDriver
  constructor(path: string) {
    this.driver = new SqliteDriver(path)
  }
  /** Only once the database is migrated: the watched tables have to be there. */
  get rowChanges(): RowChanges {
    return this.driver
  }
  createDriver = (): Driver => this.driver
  createAdapter = (): SqliteAdapter => new TransactionalAdapter()
  createQueryCompiler = (): SqliteQueryCompiler => new LockFreeCompiler()
  createIntrospector = (database: Kysely<unknown>): SqliteIntrospector => new SqliteIntrospector(database)
}

/** SQLite's schema changes are transactional, and BEGIN IMMEDIATE is all the lock that migrations need. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Row locks (FOR UPDATE) fall away: SQLite has one writer, and a transaction here is it from its first statement on. */
class LockFreeCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

class SqliteDriver implements Driver, RowChanges {
  private path: string
  private committing: (() => void)[] = []
  private dataVersion: unknown
  private writing = createMutex(BUSY_MILLISECONDS)
  private writer!: StatementCache
  private reader!: StatementCache

  constructor(path: string) {
    this.path = path
  }

  async init(): Promise<void> {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const writer = new DatabaseSync(this.path, { timeout: BUSY_MILLISECONDS, enableForeignKeyConstraints: true })
    writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIBIBYTES};`)
    // From here on a busy file is waited for without blocking the event loop; see `begin`.
    writer.exec('PRAGMA busy_timeout = 0')
    const reader = new DatabaseSync(this.path, { readOnly: true, timeout: BUSY_MILLISECONDS })
    reader.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`)
    this.writer = new StatementCache(writer)
    this.reader = new StatementCache(reader)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this)
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    ;(connection as SqliteConnection).release = await this.begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.end(connection as SqliteConnection, 'COMMIT')
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.end(connection as SqliteConnection, 'ROLLBACK')
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.writer.close()
    this.reader.close()
  }

  /** Runs one statement: inside the connection's transaction, or alone on the reader or as a transaction of its own. */
  async execute<Row>(connection: SqliteConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
    if (connection.release) return this.writer.run(query)
    if (query.query.kind === 'SelectQueryNode') return this.reader.run(query)
    connection.release = await this.begin()
    let result: QueryResult<Row>
    try {
      result = this.writer.run<Row>(query)
    } catch (error) {
      this.end(connection, 'ROLLBACK')
      throw error
    }
    this.end(connection, 'COMMIT')
    return result
  }

  watch(table: string, keyColumn: string, onChange: (key: string) => void): void {
    this.writer.watch(table, keyColumn, (key) => this.committing.push(() => onChange(key)))
  }

  /** The writer's own commits don't change its `data_version`; those of every other connection do. */
  changedElsewhere(): boolean {
    const [row] = this.writer.run<{ data_version: number }>(DATA_VERSION).rows
    const isChanged = row?.data_version !== this.dataVersion
    this.dataVersion = row?.data_version
    return isChanged
  }

  private async begin(): Promise<() => void> {
    const release = await this.writing.lock()
    const deadline = performance.now() + BUSY_MILLISECONDS
    for (let pauseMilliseconds = 1; ; pauseMilliseconds = Math.min(pauseMilliseconds * 2, 50)) {
      try {
        this.writer.run(CompiledQuery.raw('BEGIN IMMEDIATE'))
        return release
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) {
          release()
          throw error
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds))
      }
    }
  }

  private end(connection: SqliteConnection, statement: 'COMMIT' | 'ROLLBACK'): void {
    try {
      this.writer.run(CompiledQuery.raw(statement))
      if (statement === 'COMMIT') for (const tell of this.committing) tell()
    } finally {
      this.committing = []
      if (statement === 'COMMIT' && this.writer.inTransaction) this.writer.run(CompiledQuery.raw('ROLLBACK'))
      connection.release?.()
      connection.release = undefined
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  private driver: SqliteDriver
  /** Set while this connection is the writer: it gives the writer back. */
  release: (() => void) | undefined

  constructor(driver: SqliteDriver) {
    this.driver = driver
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.driver.execute(this, query)
  }

  // biome-ignore lint/correctness/useYield: streaming has no user here.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported on SQLite')
  }
}
