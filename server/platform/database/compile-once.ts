import type { CompiledQuery, Kysely, QueryExecutorProvider } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * For a change whose result the caller does not read. On PostgreSQL, the next statement is sent immediately. The error
 * is thrown by the next statement that waits, or by the commit (docs/decisions/36-statements-ahead.md).
 */
export const RESULT_UNUSED = { isResultUnused: true } as const

interface Compilable<Row> {
  compile(database: QueryExecutorProvider): CompiledQuery<Row>
}

class Placeholder {
  readonly name: string
  readonly index: number | undefined
  constructor(name: string, index?: number) {
    this.name = name
    this.index = index
  }

  valueIn(values: object): unknown {
    const value = values[this.name as keyof typeof values] as unknown
    return this.index === undefined ? value : (value as unknown[])[this.index]
  }
}

/**
 * For frequent queries: Kysely takes several times as long to compile a query as SQLite takes to run it.
 * @param build passes its placeholders, or lists of placeholders, to the query unchanged, and does not read them
 * @param options RESULT_UNUSED, for a change
 */
export function compileOnce<Values extends object, Row>(
  build: (database: Kysely<Tables>, values: Values) => Compilable<Row>,
  options: { isResultUnused?: true } = {},
): (database: Kysely<Tables>, values: Values) => Promise<Row[]> {
  // The SQL depends on the engine, on the names of the values and on the lengths of lists.
  const compiled = new WeakMap<object, Map<string, CompiledQuery<Row>>>()

  return async (database, values) => {
    const { adapter } = database.getExecutor()
    const key = keyOf(values)
    const queries = compiled.get(adapter) ?? new Map<string, CompiledQuery<Row>>()
    const query = queries.get(key) ?? { ...compile(build, database, values), ...options }
    compiled.set(adapter, queries.set(key, query))
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? parameter.valueIn(values) : parameter,
    )
    const { rows } = await database.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}

export function isResultUnused(query: CompiledQuery): boolean {
  return 'isResultUnused' in query
}

function keyOf(values: object): string {
  const parts = Object.entries(values).map(([name, value]) => (Array.isArray(value) ? `${name} ${value.length}` : name))
  return parts.join()
}

function compile<Values extends object, Row>(
  build: (database: Kysely<Tables>, values: Values) => Compilable<Row>,
  database: Kysely<Tables>,
  values: Values,
): CompiledQuery<Row> {
  const placeholders: Record<string, Placeholder | Placeholder[]> = {}
  for (const [name, value] of Object.entries(values)) {
    placeholders[name] = Array.isArray(value)
      ? value.map((_value, index) => new Placeholder(name, index))
      : new Placeholder(name)
  }
  const query = build(database, placeholders as Values).compile(database)
  const unused = Object.values(placeholders)
    .flat()
    .find((placeholder) => !query.parameters.includes(placeholder))
  if (unused) throw new Error(`${unused.name} is not passed to the query unchanged: ${query.sql}`)
  return query
}
