import type { TestContext } from 'node:test'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Service } from './service.ts'

export interface Statement {
  sql: string
  /** How many rows came back. */
  rowCount: number
}

/** What the database is asked while something runs, in the order of the answers. */
export async function statementsOf(
  { mock }: TestContext,
  { context }: Service,
  run: () => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = []
  // Every executor of Kysely's has this from one class: those of transactions and of the connections for long lists too.
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
