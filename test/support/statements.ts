import type { TestContext } from 'node:test'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Service } from './service.ts'

export interface Statement {
  sql: string
  /** The number of returned rows. */
  rowCount: number
}

/** Records the SQL statements of a service during a call, in the order of their results. */
export async function statementsOf(
  { mock }: TestContext,
  { context }: Service,
  run: () => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = []
  // All executors of Kysely inherit this method from one class, also those of transactions and of the list connections.
  const executor = Object.getPrototypeOf(Object.getPrototypeOf(context.database.getExecutor()))
  const execute = executor.executeQuery as (query: CompiledQuery) => Promise<QueryResult<unknown>>
  const spied = mock.method(executor, 'executeQuery', async function (this: unknown, query: CompiledQuery) {
    const result = await execute.call(this, query)
    statements.push({ sql: query.sql, rowCount: result.rows.length })
    return result
  })
  await run()
  spied.mock.restore()
  return statements
}
