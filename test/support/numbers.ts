import { type RawBuilder, sql } from 'kysely'

/** The beginning of a statement that selects from `numbers`, a table with the column `n`. */
export function withNumbers(first: number, last: number): RawBuilder<unknown> {
  return sql`with recursive numbers (n) as (
    select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})`
}
