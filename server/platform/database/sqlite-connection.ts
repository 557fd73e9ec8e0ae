import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { SqliteDriver } from './sqlite-driver.ts'

export class SqliteConnection implements DatabaseConnection {
  private driver: SqliteDriver
  /** Releases the writer; undefined while this connection is not the writer. */
  release: (() => void) | undefined

  constructor(driver: SqliteDriver) {
    this.driver = driver
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.driver.execute(this, query)
  }

  // biome-ignore lint/correctness/useYield: no query is streamed.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported on SQLite')
  }
}
