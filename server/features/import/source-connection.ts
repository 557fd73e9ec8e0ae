import type { JsonFunctions } from './source-sql.ts'
import type { SourceColumns } from './source-tables.ts'

/** A row whose columns are JSON text. */
export type JsonRow = Record<string, string | null>

/** One transaction that reads: every statement sees the source at the same moment. */
export interface SourceConnection {
  functions: JsonFunctions
  readColumns(): Promise<SourceColumns>
  /** Plans a statement, and reads no rows. @throws SourceError */
  assertReadable(sql: string): Promise<void>
  /** @throws SourceError */
  readBatches(sql: string, batchSize: number): AsyncGenerator<JsonRow[]>
  close(): Promise<void>
}

export function toColumns(rows: { table: string; column: string }[]): SourceColumns {
  const columns: SourceColumns = new Map()
  for (const { table, column } of rows) columns.getOrInsertComputed(table, () => new Set()).add(column)
  return columns
}
