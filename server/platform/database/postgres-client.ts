import type { PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import type { DeadlinePool, PoolClient } from './postgres-pool.ts'
import { spendTime } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** The server became a standby, so the next connection must be to another server. */
const READ_ONLY = '25006'
/** A migration has changed the type of a column that a prepared statement returns. */
const STALE_PLAN = '0A000'

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the columns of its statement.
export type QueryResult = PostgresQueryResult<any>

/**
 * A connection with a late result is never used again, because the state of the statement is unknown. `query_timeout`
 * of pg would return such a connection to the pool.
 */
export class DeadlineClient {
  private client: PoolClient | undefined
  private pool: DeadlinePool

  constructor(client: PoolClient, pool: DeadlinePool) {
    this.client = client
    this.pool = pool
  }

  get canPrepare(): boolean {
    return this.client?.canPrepare === true
  }

  /** @throws DatabaseUnavailable when the result is late */
  query(text: string, parameters: readonly unknown[] = []): Promise<QueryResult> {
    const isPreparable = parameters.length > 0 && this.canPrepare
    const name = isPreparable ? this.pool.statements.nameOf(text) : undefined
    const query = { text, values: [...parameters], ...(name !== undefined && { name }) }
    return spendTime(this.pool.options.answerMilliseconds, (milliseconds) => this.answer(query, milliseconds))
  }

  /** @param destroy closes the connection even while a statement runs */
  release(destroy = false): void {
    if (destroy) this.client?.destroy()
    this.client?.release(destroy)
    this.client = undefined
  }

  /** A change that only the primary has must not be acknowledged. */
  private refuseUnreplicated(): never {
    this.release(true)
    throw new DatabaseUnavailable('No standby has confirmed the transaction')
  }

  private async answer(query: pg.QueryConfig, milliseconds: number): Promise<QueryResult> {
    const { client, pool } = this
    if (!client) throw new DatabaseUnavailable('The connection was destroyed')
    const startedAt = performance.now()
    const answering = client.query(query)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const cancelTimer = callAfter(milliseconds, () => {
      // A server that does not cancel a statement after statement_timeout is dead. A statement that was sent ahead runs
      // only after the answer to the statement before it.
      const runsSince = Math.max(startedAt, pool.lastHeard(client))
      if (performance.now() - runsSince > pool.options.serverMilliseconds.statement_timeout) pool.markSilent()
      // An earlier statement that was sent ahead may have given the connection up already.
      if (this.client) pool.giveUp(client, answering)
      this.client = undefined
      reject(new Error('The time for this statement is over'))
    })
    try {
      const result = await Promise.race([answering, late])
      pool.markHeard(client)
      if (client.hasUnreplicatedCommit) this.refuseUnreplicated()
      return result as QueryResult
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (code === READ_ONLY) {
        this.release(true)
        throw error
      }
      if (code === STALE_PLAN && query.name !== undefined) {
        this.release(true)
        throw new DatabaseUnavailable('A migration has changed a table of the statement', { cause: error })
      }
      if (this.client || error instanceof DatabaseUnavailable) throw error
      throw new DatabaseUnavailable(`The database did not answer within ${Math.round(milliseconds)} ms`, {
        cause: error,
      })
    } finally {
      cancelTimer()
    }
  }
}

function callAfter(milliseconds: number, giveUp: () => void): () => void {
  let isOver = false
  const end = () => {
    if (!isOver) giveUp()
  }
  // A result that arrived while the process was busy is read before the immediate runs, and counts.
  const timer = setTimeout(() => setImmediate(end), milliseconds)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
