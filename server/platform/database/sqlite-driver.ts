import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { isRead } from './is-read.ts'
import { refuseStreaming } from './refuse-streaming.ts'
import type { OnRowChange, RowEvent } from './row-changes.ts'
import { SqliteCheckpointer } from './sqlite-checkpointer.ts'
import { openFile, type SqliteFile } from './sqlite-file.ts'
import { isBusy, type StatementCache } from './sqlite-statements.ts'
import { testWrite } from './sqlite-write-test.ts'
import { spendTime } from './time-budget.ts'
import { createTurns } from './turns.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Outside of requests: the limit for waiting for another process or another transaction. */
const BUSY_MILLISECONDS = 5_000
const LONGEST_PAUSE_MILLISECONDS = 50
/** Reads check only so often that the file is in place: a check takes 4 µs, and a session look-up 10 µs. */
const IN_PLACE_MILLISECONDS = 1_000

const BEGIN = CompiledQuery.raw('BEGIN IMMEDIATE')
const COMMIT = CompiledQuery.raw('COMMIT')
const ROLLBACK = CompiledQuery.raw('ROLLBACK')
const DATA_VERSION = CompiledQuery.raw('PRAGMA data_version')

export class SqliteDriver implements Driver {
  private path: string
  private noticesOfTransaction: (() => void)[] = []
  private turns = createTurns()
  private opened: SqliteFile | undefined
  private checkpointer: SqliteCheckpointer
  /** Kysely stores every connection in a WeakSet, so a new one for each query would cost 3 µs. */
  private idle: SqliteConnection[] = []

  constructor(path: string) {
    this.path = path
    this.checkpointer = new SqliteCheckpointer(path)
  }

  async init(): Promise<void> {
    this.open()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.idle.pop() ?? new SqliteConnection(this)
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    ;(connection as SqliteConnection).release = await this.begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.commit(connection as SqliteConnection)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.rollback(connection as SqliteConnection)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.idle.push(connection as SqliteConnection)
  }

  async destroy(): Promise<void> {
    await this.checkpointer.close()
    // The last connection merges the -wal file, which a reader can't.
    this.opened?.reader.close()
    this.opened?.writer.close()
  }

  async execute<Row>(connection: SqliteConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
    if (connection.release) {
      this.assertInTransaction()
      return this.writer.run(query)
    }
    if (isRead(query)) return this.read(this.open().reader, query)
    connection.release = await this.begin()
    try {
      const result = this.writer.run<Row>(query)
      this.commit(connection)
      return result
    } finally {
      this.rollback(connection)
    }
  }

  watch(table: string, keyColumn: string, events: RowEvent[], onChange: OnRowChange): void {
    this.writer.watch(table, keyColumn, events, (key) => this.noticesOfTransaction.push(() => onChange(key)))
  }

  /** A number that changes with the commits of other connections only. */
  async readDataVersion(): Promise<number | undefined> {
    const { rows } = await this.read<{ data_version: number }>(this.writer, DATA_VERSION)
    return rows[0]?.data_version
  }

  /** @throws when a change can't be written: the disk is full, or the file is locked, removed or read-only */
  async testWrite(): Promise<void> {
    const release = await this.begin(() => testWrite(this.path))
    release()
  }

  private get writer(): StatementCache {
    return this.open().writer
  }

  private open(): SqliteFile {
    this.opened ??= openFile(this.path, BUSY_MILLISECONDS)
    return this.opened
  }

  private async read<Row>(connection: StatementCache, query: CompiledQuery): Promise<QueryResult<Row>> {
    // In the file that replaced this one, sessions may be revoked.
    this.open().assertInPlace(IN_PLACE_MILLISECONDS)
    const run = () => connection.run<Row>(query)
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw error
      return spendTime(BUSY_MILLISECONDS, (milliseconds) => this.whenFree(milliseconds, run))
    }
  }

  private begin(start: () => void = () => this.writer.run(BEGIN)): Promise<() => void> {
    return spendTime(BUSY_MILLISECONDS, async (milliseconds) => {
      const startedAt = performance.now()
      const newError = () =>
        new DatabaseUnavailable(`Other transactions held the database for ${Math.round(milliseconds)} ms`)
      const release = await this.turns.take('writer', 1, (wait) => wait.leaveAfter(milliseconds, newError))
      try {
        this.open().assertInPlace()
        await this.whenFree(milliseconds - (performance.now() - startedAt), start)
        return release
      } catch (error) {
        release()
        throw error
      }
    })
  }

  private async whenFree<T>(milliseconds: number, run: () => T): Promise<T> {
    const deadline = performance.now() + milliseconds
    for (let pauseMilliseconds = 1; ; pauseMilliseconds = Math.min(2 * pauseMilliseconds, LONGEST_PAUSE_MILLISECONDS)) {
      try {
        return run()
      } catch (error) {
        if (!isBusy(error) || performance.now() + pauseMilliseconds > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds))
      }
    }
  }

  /** A full disk makes SQLite roll back: later statements would be committed without the earlier ones. */
  private assertInTransaction(): void {
    if (!this.writer.inTransaction) throw new DatabaseUnavailable('SQLite has rolled back the transaction')
  }

  private commit(connection: SqliteConnection): void {
    this.assertInTransaction()
    this.writer.run(COMMIT)
    // Runs first, because caches must drop a revoked session even if a later step fails.
    for (const notify of this.noticesOfTransaction) notify()
    this.release(connection)
    this.checkpointer.countCommit()
  }

  /** Does nothing after the end of the transaction, because the writer may be in the next one. */
  private rollback(connection: SqliteConnection): void {
    if (!connection.release) return
    try {
      if (this.writer.inTransaction) this.writer.run(ROLLBACK)
    } finally {
      this.release(connection)
    }
  }

  private release(connection: SqliteConnection): void {
    this.noticesOfTransaction = []
    connection.release?.()
    connection.release = undefined
  }
}

class SqliteConnection implements DatabaseConnection {
  private driver: SqliteDriver
  /** Releases the writer; undefined while this connection is not the writer. */
  release: (() => void) | undefined
  streamQuery = refuseStreaming

  constructor(driver: SqliteDriver) {
    this.driver = driver
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.driver.execute(this, query)
  }
}
