import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Stands for a value while its query is compiled. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * A query that is compiled when it is first asked, for what is asked with nearly every request: compiling takes Kysely
 * several times as long as SQLite takes to answer.
 * @param build is given placeholders: it may pass each on as a value, and look at none
 */
export function compileOnce<Values extends object, Row>(
  build: (database: Kysely<Tables>, values: Values) => Compilable<Row>,
): (database: Kysely<Tables>, values: Values) => Promise<Row[]> {
  // Each engine has its own SQL, and so has an insert of other columns.
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
  if (unused) throw new Error(`${unused.name} is not passed on as it is: ${query.sql}`)
  return query
}
