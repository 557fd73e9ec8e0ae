import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { isPostgres } from '../database/is-postgres.ts'
import type { Tables } from '../database/tables.ts'
import type { ColumnType, Condition, FilterOperator } from './parse-condition.ts'

export interface SqlColumn {
  /** Such as `users.name`. */
  reference: RawBuilder<unknown>
  type: ColumnType
  isNullable?: boolean
  /** Text without upper-case letters: `lower` would only make it slower. */
  isLowerCase?: boolean
  /** Our ids have no upper-case letters, so an index finds them. Imported ids may have such letters. */
  ownPrefix?: string
}

const COMPARISONS: Partial<Record<FilterOperator, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}
const LISTS: Partial<Record<FilterOperator, string>> = { in: 'in', not_in: 'not in' }

/** Text is compared by code point, and searched in any case of ASCII letters. NULL differs from every value. */
export function conditionSql(
  database: Kysely<Tables>,
  column: SqlColumn,
  { operator, values }: Pick<Condition, 'operator' | 'values'>,
): RawBuilder<SqlBool> {
  const value = columnSql(database, column)
  const test = testSql(database, column, operator, values)
  const includesNull = column.isNullable && (operator === 'ne' || operator === 'not_in')
  return includesNull ? sql`(${test} or ${value} is null)` : test
}

export function anyOfSql(
  database: Kysely<Tables>,
  columns: SqlColumn[],
  condition: Parameters<typeof conditionSql>[2],
): RawBuilder<SqlBool> {
  const tests = columns.map((column) => conditionSql(database, column, condition))
  return sql`(${sql.join(tests, sql` or `)})`
}

/** The column as it is compared and sorted: PostgreSQL's own collation may not be the order of code points. */
export function columnSql(database: Kysely<Tables>, { reference, type }: SqlColumn): RawBuilder<unknown> {
  return type === 'text' && isPostgres(database) ? sql`${reference} collate "C"` : reference
}

/** ASCII letters only, as SQLite's `lower` does it, and PostgreSQL's under the collation "C". */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function testSql(database: Kysely<Tables>, column: SqlColumn, operator: FilterOperator, values: Condition['values']) {
  const value = columnSql(database, column)
  const list = LISTS[operator]
  if (list) return sql<SqlBool>`${value} ${sql.raw(list)} (${sql.join(values)})`
  const comparison = COMPARISONS[operator]
  if (comparison) return sql<SqlBool>`${value} ${sql.raw(comparison)} ${values[0]}`

  const typed = String(values[0])
  const text = lowerAscii(typed)
  const lowered = column.isLowerCase ? value : sql`lower(${value})`
  if (operator === 'starts_with') {
    const isOwn = column.ownPrefix !== undefined && text.startsWith(column.ownPrefix)
    // An imported id with our prefix is found as it is typed.
    return isOwn ? sql<SqlBool>`(${startsWith(value, text)} or ${startsWith(value, typed)})` : startsWith(lowered, text)
  }
  const pattern = `%${escapeLike(text)}${operator === 'contains' ? '%' : ''}`
  // SQLite's `like` ignores the case of ASCII letters by itself.
  return sql<SqlBool>`${isPostgres(database) ? lowered : value} like ${pattern} escape '!'`
}

/** An index can be used for a range. */
function startsWith(value: RawBuilder<unknown>, prefix: string): RawBuilder<SqlBool> {
  const end = successor(prefix)
  return end === undefined ? sql`${value} >= ${prefix}` : sql`(${value} >= ${prefix} and ${value} < ${end})`
}

/** No backslash: it can't be written in the same way with and without `standard_conforming_strings` of PostgreSQL. */
function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}

const LAST_CODE_POINT = 0x10ffff

/** The first text, by code points, after every text with this prefix; undefined when there is none. */
function successor(prefix: string): string | undefined {
  const codePoints = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  while (codePoints.at(-1) === LAST_CODE_POINT) codePoints.pop()
  const last = codePoints.pop()
  if (last === undefined) return undefined
  // Surrogates, which are not characters, follow U+D7FF.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...codePoints, next)
}
