import { type CompiledQuery, ExplainNode, type Kysely, RawNode, type RootOperationNode, sql } from 'kysely'
import type { Tables } from '../../server/platform/database/tables.ts'
import type { Service } from './service.ts'

/** Plans of PostgreSQL that are switched off, as if every table were too large to be read or sorted. */
const LARGE_TABLES = ['seqscan', 'sort', 'incremental_sort', 'bitmapscan', 'hashagg', 'hashjoin', 'mergejoin']

/**
 * Explains every query of a use case instead of executing it.
 * @param options.isFilled for tables with as many rows as the plan is about
 * @param options.isCompiledOnce whether all queries are from `compileOnce`, which must not store a query that explains
 * @returns the lines of the plans
 */
export async function explain(
  { engine, context }: Service,
  use: (database: Kysely<Tables>) => Promise<unknown>,
  { isFilled = false, isCompiledOnce = false } = {},
): Promise<string> {
  const lines: string[] = []
  await context.database.transaction().execute(async (transaction) => {
    if (engine === 'postgres' && !isFilled)
      for (const name of LARGE_TABLES) await sql`set local ${sql.raw(`enable_${name}`)} = off`.execute(transaction)
    const addLines = (rows: Record<string, unknown>[]) => {
      for (const row of rows) lines.push(String(row.detail ?? row['QUERY PLAN']))
    }
    const explaining = transaction.withPlugin({
      transformQuery: ({ node }) => toExplain(node, engine),
      transformResult: async ({ result }) => {
        addLines(result.rows)
        return result
      },
    })
    const executeQuery = transaction.executeQuery.bind(transaction)
    const explainCompiled = async ({ query, queryId, ...compiled }: CompiledQuery) => {
      const explained = `${engine === 'sqlite' ? 'explain query plan' : 'explain'} ${compiled.sql}`
      const { rows } = await executeQuery({ query, queryId, sql: explained, parameters: compiled.parameters })
      addLines(rows as Record<string, unknown>[])
      return { rows: [] }
    }
    await use(isCompiledOnce ? Object.assign(transaction, { executeQuery: explainCompiled }) : explaining)
  })
  return lines.join('\n')
}

function toExplain(node: RootOperationNode, engine: Service['engine']): RootOperationNode {
  const isSqlite = engine === 'sqlite'
  if (RawNode.is(node)) {
    const [first = '', ...rest] = node.sqlFragments
    return { ...node, sqlFragments: [`${isSqlite ? 'explain query plan' : 'explain'} ${first}`, ...rest] }
  }
  const explain = ExplainNode.create(undefined, isSqlite ? sql`query plan`.toOperationNode() : undefined)
  return Object.assign({}, node, { explain })
}
