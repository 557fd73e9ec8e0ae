import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { isRead } from './is-read.ts'
import type { DeadlinePool } from './postgres-pool.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { withReaderTurns } from './reader-turns.ts'
import { refuseStreaming } from './refuse-streaming.ts'

export class PoolDialect extends PostgresDialect {
  private pool: DeadlinePool
  constructor(pool: DeadlinePool) {
    super({ pool: asKyselyPool(pool) })
    this.pool = pool
  }
  override createDriver(): Driver {
    return new PoolDriver(this.pool)
  }
}

export class LongReadsDialect extends PoolDialect {
  override createDriver(): Driver {
    return withReaderTurns(super.createDriver())
  }
}

class PoolDriver extends PostgresDriver {
  constructor(pool: DeadlinePool) {
    super({ pool: asKyselyPool(pool) })
  }

  /** With an older snapshot after a wait for a lock, two concurrent requests could remove the last two owners. */
  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return super.beginTransaction(connection, {
      ...settings,
      isolationLevel: settings.isolationLevel ?? 'read committed',
    })
  }

  /** The error before the rollback is the one to report. Kysely discards a connection that did not roll back. */
  override rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    return super.rollbackTransaction(connection).catch(() => {})
  }
}

/** Reads never wait for row locks. Their own connections stay free while waiting changes use all the others. */
export class RequestsDialect extends PostgresDialect {
  private reads: DeadlinePool
  private changes: DeadlinePool
  constructor(reads: DeadlinePool, changes: DeadlinePool) {
    super({ pool: asKyselyPool(changes) })
    this.reads = reads
    this.changes = changes
  }
  override createDriver(): Driver {
    return new RequestsDriver(this.reads, this.changes)
  }
}

class RequestsDriver implements Driver {
  private reads: Driver
  private changes: Driver

  constructor(reads: DeadlinePool, changes: DeadlinePool) {
    this.reads = new PoolDriver(reads)
    this.changes = new PoolDriver(changes)
  }

  async init(): Promise<void> {
    await this.reads.init()
    await this.changes.init()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new RequestsConnection((query) => this.execute(query))
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const held = await this.changes.acquireConnection()
    const begun = this.changes.beginTransaction(held, settings)
    ;(connection as RequestsConnection).transaction = new PostgresTransaction(held, begun)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const transaction = transactionOf(connection)
    await transaction.answered()
    await this.changes.commitTransaction(transaction.connection)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.changes.rollbackTransaction(transactionOf(connection).connection)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { transaction } = connection as RequestsConnection
    if (transaction) await this.changes.releaseConnection(transaction.connection)
  }

  async destroy(): Promise<void> {
    await this.reads.destroy()
    await this.changes.destroy()
  }

  private async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const driver = isRead(query) ? this.reads : this.changes
    const connection = await driver.acquireConnection()
    try {
      return await connection.executeQuery<Row>(query)
    } finally {
      await driver.releaseConnection(connection)
    }
  }
}

/** A transaction holds one connection of the pool. Each statement outside of a transaction acquires its own. */
class RequestsConnection implements DatabaseConnection {
  transaction: PostgresTransaction | undefined
  streamQuery = refuseStreaming
  private executeAlone: <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>

  constructor(executeAlone: <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>) {
    this.executeAlone = executeAlone
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.transaction ? this.transaction.execute<Row>(query) : this.executeAlone<Row>(query)
  }
}

function transactionOf(connection: DatabaseConnection): PostgresTransaction {
  const { transaction } = connection as RequestsConnection
  if (!transaction) throw new Error('The connection is in no transaction')
  return transaction
}

/** The type of Kysely also names cursors, which are unused. */
function asKyselyPool(pool: DeadlinePool): PostgresPool {
  return pool as unknown as PostgresPool
}
