import type { PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import type { DeadlinePool } from './postgres-pool.ts'
import { spendTime } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const CHECK_MILLISECONDS = 1_000

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the columns of its statement.
export type QueryResult = PostgresQueryResult<any>

/**
 * A connection in use. When an answer is late, the connection is destroyed: what the server made of the statement is
 * unknown, and pg's own `query_timeout` would return such a connection to the pool.
 */
export class DeadlineClient {
  private client: pg.PoolClient | undefined
  private pool: DeadlinePool

  constructor(client: pg.PoolClient, pool: DeadlinePool) {
    this.client = client
    this.pool = pool
  }

  /** @throws DatabaseUnavailable when the answer does not come in time */
  query(text: string, parameters: readonly unknown[] = []): Promise<QueryResult> {
    const query = { text, values: [...parameters] }
    return spendTime(this.pool.options.answerMilliseconds, (milliseconds) => this.answer(query, milliseconds))
  }

  /** @param destroy ends the connection, whatever it is doing */
  release(destroy = false): void {
    this.client?.release(destroy)
    this.client = undefined
  }

  private async answer(query: pg.QueryConfig, milliseconds: number): Promise<QueryResult> {
    const { client, pool } = this
    if (!client) throw new DatabaseUnavailable('The connection was given up')
    const startedAt = performance.now()
    const stopWatching = watch(milliseconds, pool.options.stillAnswers, () => {
      // The server ends a statement before the client does; where it did not, it is silent. A shorter wait proves nothing.
      if (performance.now() - startedAt > pool.options.server.statement_timeout) pool.markSilent()
      this.release(true)
    })
    try {
      const result = await client.query(query)
      pool.markHeard(client)
      return result as QueryResult
    } catch (error) {
      if (this.client) throw error
      throw new DatabaseUnavailable(`The database did not answer within ${Math.round(milliseconds)} ms`, {
        cause: error,
      })
    } finally {
      stopWatching()
    }
  }
}

/** Calls back once, when the time is over or the server is found dead. @returns what stops the watch */
function watch(
  milliseconds: number,
  stillAnswers: (() => Promise<boolean>) | undefined,
  giveUp: () => void,
): () => void {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    giveUp()
  }
  // An answer that arrived while the process was busy is read before the immediate runs, and counts.
  const timer = setTimeout(() => setImmediate(end), milliseconds)
  const check = async () => {
    if (!(await stillAnswers?.())) end()
  }
  const checking = stillAnswers && setInterval(check, CHECK_MILLISECONDS)
  return () => {
    isOver = true
    clearTimeout(timer)
    clearInterval(checking)
  }
}
