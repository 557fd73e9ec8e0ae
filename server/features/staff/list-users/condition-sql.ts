import { type RawBuilder, sql } from 'kysely'
import type { Config } from '../../../platform/config/config.ts'
import type { Condition, Operator, UserColumn } from './columns.ts'
import { COLUMN_TYPES, LOWER_CASE_COLUMNS, lowerAscii, NULLABLE_COLUMNS } from './columns.ts'
import { searchSql } from './search-sql.ts'
import { fittingValues } from './standing.ts'

export type Engine = Config['database']['engine']
type Test = RawBuilder<boolean>

const COMPARISONS: Partial<Record<Operator, string>> = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }

/**
 * A condition as SQL. Text is compared by code point on both engines, and searched without regard to the case of ASCII
 * letters. Whoever has no value is different from every value, and neither before nor after it.
 * @param indexed false keeps SQLite from reading people by this condition's index, so that it reads them in the order
 *   of the page
 */
export function conditionSql(engine: Engine, condition: Condition, indexed: boolean): Test {
  const { column, operator, values } = condition
  const standings = fittingValues(condition)
  if (standings) return standingSql(engine, column, standings, indexed)
  const search = engine === 'sqlite' && indexed ? searchSql(condition) : undefined
  if (search) return sql`users.rowid in (${search})`
  const test = textSql(engine, condition, indexed) ?? compare(columnSql(engine, column, indexed), operator, values)
  if (!NULLABLE_COLUMNS.includes(column)) return test
  const value = columnSql(engine, column, indexed)
  if (operator === 'ne' || operator === 'not_in') return sql`(${test} or ${value} is null)`
  // Leads the index past everybody who has no value.
  return COLUMN_TYPES[column] === 'text' ? sql`(${value} >= '' and ${test})` : test
}

/** The column as it is compared and sorted. */
export function columnSql(engine: Engine, column: UserColumn, indexed = true): RawBuilder<unknown> {
  const reference = sql.ref(`users.${column}`)
  if (engine === 'sqlite') return indexed ? reference : sql`+${reference}`
  return COLUMN_TYPES[column] === 'text' ? sql`${reference} collate "C"` : reference
}

function standingSql(engine: Engine, column: UserColumn, values: (string | number)[], indexed: boolean): Test {
  if (values.length === 0) return sql`1 = 0`
  if (column === 'twoFactorEnabled') return sql`1 = 1`
  return compare(columnSql(engine, column, indexed), 'in', values)
}

function compare(value: RawBuilder<unknown>, operator: Operator, values: (string | number)[]): Test {
  if (operator === 'in' && values.length > 1) return sql`${value} in (${sql.join(values)})`
  if (operator === 'not_in') return sql`${value} not in (${sql.join(values)})`
  return sql`${value} ${sql.raw(COMPARISONS[operator] ?? '=')} ${values[0]}`
}

function textSql(engine: Engine, { column, operator, values }: Condition, indexed: boolean): Test | undefined {
  const text = lowerAscii(String(values[0]))
  const escaped = text.replace(/[\\%_]/g, '\\$&')
  if (operator === 'starts_with') return startsWith(lowered(engine, column, indexed), text)
  if (operator === 'contains') return like(engine, column, `%${escaped}%`, indexed)
  if (operator === 'ends_with') return like(engine, column, `%${escaped}`, indexed)
  return undefined
}

/** `lower` knows ASCII only: SQLite's always, PostgreSQL's under this collation. */
function lowered(engine: Engine, column: UserColumn, indexed: boolean): RawBuilder<unknown> {
  if (LOWER_CASE_COLUMNS.includes(column)) return columnSql(engine, column, indexed)
  const value = sql`lower(${columnSql(engine, column)})`
  return engine === 'sqlite' && !indexed ? sql`+${value}` : value
}

/** As a range, which an index finds. */
function startsWith(value: RawBuilder<unknown>, prefix: string): Test {
  const end = successor(prefix)
  return end === undefined ? sql`${value} >= ${prefix}` : sql`(${value} >= ${prefix} and ${value} < ${end})`
}

/** SQLite's `like` takes ASCII letters in either case as the same; PostgreSQL has its trigrams of the lowered text. */
function like(engine: Engine, column: UserColumn, pattern: string, indexed: boolean): Test {
  const value = columnSql(engine, column, indexed)
  return sql`${engine === 'sqlite' ? value : sql`lower(${value})`} like ${pattern} escape '\\'`
}

const LAST_CODE_POINT = 0x10ffff

/** The first text, by code points, that comes after every text with this prefix; undefined when there is none. */
function successor(prefix: string): string | undefined {
  const emails = [...prefix].map((email) => email.codePointAt(0) ?? 0)
  while (emails.at(-1) === LAST_CODE_POINT) emails.pop()
  const last = emails.pop()
  if (last === undefined) return undefined
  // Between these two are surrogates, which are no letters.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...emails, next)
}
