import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { createMutex } from './mutex.ts'
import type { RowChanges } from './row-changes.ts'
import { openFile, type SqliteFile } from './sqlite-file.ts'
import { isBusy } from './sqlite-statements.ts'
import { spendTime } from './time-budget.ts'

/** The wait for another process, or for another transaction of this one, outside of a request. */
const BUSY_MILLISECONDS = 5_000

const DATA_VERSION = CompiledQuery.raw('PRAGMA data_version')

/** One writer, whose transactions queue up, and one reader beside it. */
export class SqliteDriver implements Driver, RowChanges {
  private path: string
  private committing: (() => void)[] = []
  private dataVersion: unknown
  private writing = createMutex()
  private opened: SqliteFile | undefined

  constructor(path: string) {
    this.path = path
  }

  async init(): Promise<void> {
    this.open()
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
    this.opened?.writer.close()
    this.opened?.reader.close()
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

  private get writer(): SqliteFile['writer'] {
    return this.open().writer
  }

  private get reader(): SqliteFile['reader'] {
    return this.open().reader
  }

  private open(): SqliteFile {
    this.opened ??= openFile(this.path, BUSY_MILLISECONDS)
    return this.opened
  }

  private begin(): Promise<() => void> {
    return spendTime(BUSY_MILLISECONDS, (milliseconds) => this.beginWithin(milliseconds))
  }

  private async beginWithin(milliseconds: number): Promise<() => void> {
    const deadline = performance.now() + milliseconds
    const release = await this.writing.lock(milliseconds)
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
