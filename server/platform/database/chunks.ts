/** PostgreSQL accepts 65,535 parameters in a statement, SQLite 32,766. An audit event has 15 columns. */
const ROWS_PER_INSERT = 1_000

export function chunksOf<Row>(rows: Row[]): Row[][] {
  const count = Math.ceil(rows.length / ROWS_PER_INSERT)
  return Array.from({ length: count }, (_, index) => rows.slice(index * ROWS_PER_INSERT, (index + 1) * ROWS_PER_INSERT))
}
