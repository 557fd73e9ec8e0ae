import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { SqliteDriver } from './sqlite-driver.ts'

export class SqliteConnection implements DatabaseConnection {
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
