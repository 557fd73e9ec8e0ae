import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * Compiles a query once, for the queries of nearly every request: Kysely compiles for several times as long as SQLite
 * runs.
 * @param build gets placeholders, which it must pass to the query as values, and must not read
 */
export function compileOnce<Values extends object, Row>(
  build: (database: Kysely<Tables>, values: Values) => Compilable<Row>,
): (database: Kysely<Tables>, values: Values) => Promise<Row[]> {
  // The SQL depends on the engine and on the names of the values.
  const compiled = new WeakMap<object, Map<string, CompiledQuery<Row>>>()

  return async (database, values) => {
    const { adapter } = database.getExecutor()
    const names = Object.keys(values)
    const key = names.join()
    const queries = compiled.get(adapter) ?? new Map<string, CompiledQuery<Row>>()
    const query = queries.get(key) ?? compile(build, database, names)
    compiled.set(adapter, queries.set(key, query))
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    )
    const { rows } = await database.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}

function compile<Values extends object, Row>(
  build: (database: Kysely<Tables>, values: Values) => Compilable<Row>,
  database: Kysely<Tables>,
  names: string[],
): CompiledQuery<Row> {
  const placeholders = names.map((name) => new Placeholder(name))
  const values = Object.fromEntries(placeholders.map((placeholder) => [placeholder.name, placeholder]))
  const query = build(database, values as Values).compile()
  const unused = placeholders.find((placeholder) => !query.parameters.includes(placeholder))
  if (unused) throw new Error(`${unused.name} is not passed to the query unchanged: ${query.sql}`)
  return query
}
