import type { TestContext } from 'node:test'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Service } from './service.ts'

export interface Statement {
  sql: string
  /** The number of returned rows. */
  rowCount: number
  /** The number of statements that had begun and not ended when this one began. */
  concurrentCount: number
}

/** Records the SQL statements of a service during a call, in the order of their results. */
export async function statementsOf(
  { mock }: TestContext,
  { context }: Service,
  run: () => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = []
  const { executor, execute } = executorOf(context)
  let runningCount = 0
  const spied = mock.method(executor, 'executeQuery', async function (this: unknown, query: CompiledQuery) {
    const concurrentCount = runningCount
    runningCount += 1
    const result = await execute.call(this, query).finally(() => {
      runningCount -= 1
    })
    statements.push({ sql: query.sql, rowCount: result.rows.length, concurrentCount })
    return result
  })
  await run()
  spied.mock.restore()
  return statements
}

/** Runs a step between the result of the first statement that matches and the code that waits for it. */
export async function afterStatement<T>(
  { mock }: TestContext,
  { context }: Service,
  { matching, step }: { matching: RegExp; step: () => Promise<unknown> },
  run: () => Promise<T>,
): Promise<T> {
  const { executor, execute } = executorOf(context)
  let isDone = false
  const spied = mock.method(executor, 'executeQuery', async function (this: unknown, query: CompiledQuery) {
    const result = await execute.call(this, query)
    if (isDone || !matching.test(query.sql)) return result
    isDone = true
    await step()
    return result
  })
  const answer = await run()
  spied.mock.restore()
  if (!isDone) throw new Error(`No statement matches ${matching}: ${JSON.stringify(answer)}`)
  return answer
}

/** Holds the results of all statements that match until they are released, and counts all statements. */
export function holdStatements(t: TestContext, { context }: Service, matching: RegExp) {
  const { executor, execute } = executorOf(context)
  const released = Promise.withResolvers<void>()
  const ended: string[] = []
  const spied = t.mock.method(executor, 'executeQuery', async function (this: unknown, query: CompiledQuery) {
    const result = await execute.call(this, query)
    ended.push(query.sql)
    if (matching.test(query.sql)) await released.promise
    return result
  })
  const release = () => {
    spied.mock.restore()
    released.resolve()
  }
  t.after(release)
  return { count: (pattern: RegExp) => ended.filter((sql) => pattern.test(sql)).length, release }
}

/** All executors of Kysely inherit this method from one class, also those of transactions and of the list connections. */
function executorOf({ database }: Service['context']) {
  const executor = Object.getPrototypeOf(Object.getPrototypeOf(database.getExecutor()))
  const execute = executor.executeQuery as (query: CompiledQuery) => Promise<QueryResult<unknown>>
  return { executor, execute }
}
