import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { SqliteDialect as ConnectionDialect, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Kysely on one open connection, which the caller closes. */
export function onConnection(connection: DatabaseSync): Kysely<Tables> {
  const prepare = (sql: string) => {
    const statement = connection.prepare(sql)
    return {
      reader: statement.columns().length > 0,
      all: (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[])),
      run: (parameters: readonly unknown[]) => statement.run(...(parameters as SQLInputValue[])),
      iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as SQLInputValue[])),
    }
  }
  return new Kysely<Tables>({ dialect: new ConnectionDialect({ database: { prepare, close: () => {} } }) })
}
