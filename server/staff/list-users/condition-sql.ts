import { type RawBuilder, sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Condition, Operator, UserColumn } from './columns.ts'
import { COLUMN_TYPES } from './columns.ts'

export type Engine = Config['database']['engine']
type Test = RawBuilder<boolean>

const NULLABLE: readonly UserColumn[] = ['image', 'banReason', 'banExpires']
/** Columns whose letters are never upper-case. */
const LOWER_CASE: readonly UserColumn[] = ['id', 'email', 'role']
const TRIGRAM_LETTERS = 3
const TRIGRAMS_MAXIMUM = 20

const COMPARISONS: Partial<Record<Operator, string>> = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }

/**
 * A condition as SQL. Text is compared by code point on both engines, and searched without regard to the case of ASCII
 * letters. Whoever has no value is different from every value, and neither before nor after it.
 * @param indexed false keeps SQLite from reading people by this condition's index, so that it reads them in the order
 *   of the page
 */
export function conditionSql(engine: Engine, { column, operator, values }: Condition, indexed: boolean): Test {
  if (column === 'twoFactorEnabled') return compare(sql`0`, operator, values)
  const value = columnSql(engine, column, indexed)
  const text = String(values[0])
  if (operator === 'starts_with') return startsWith(engine, column, text, indexed)
  if (operator === 'contains' || operator === 'ends_with') return like(engine, column, operator, text, indexed)
  // As two ranges, which SQLite's indexes find.
  const isSqliteNe = engine === 'sqlite' && operator === 'ne'
  const test: Test = isSqliteNe
    ? sql`(${value} < ${values[0]} or ${value} > ${values[0]})`
    : compare(value, operator, values)
  const countsNull = (operator === 'ne' || operator === 'not_in') && NULLABLE.includes(column)
  return countsNull ? sql`(${value} is null or ${test})` : test
}

/** The column as it is compared and sorted. */
export function columnSql(engine: Engine, column: UserColumn, indexed = true): RawBuilder<unknown> {
  const reference = sql.ref(`users.${column}`)
  if (engine === 'sqlite') return indexed ? reference : sql`+${reference}`
  return COLUMN_TYPES[column] === 'text' ? sql`${reference} collate "C"` : reference
}

function compare(value: RawBuilder<unknown>, operator: Operator, values: (string | number)[]): Test {
  if (operator === 'in') return sql`${value} in (${sql.join(values)})`
  if (operator === 'not_in') return sql`${value} not in (${sql.join(values)})`
  return sql`${value} ${sql.raw(COMPARISONS[operator] ?? '=')} ${values[0]}`
}

/** `lower` knows ASCII only: SQLite's always, PostgreSQL's under this collation. */
function lowered(engine: Engine, column: UserColumn, indexed: boolean): RawBuilder<unknown> {
  const value = columnSql(engine, column)
  if (engine === 'sqlite' && LOWER_CASE.includes(column)) return columnSql(engine, column, indexed)
  return engine === 'sqlite' && !indexed ? sql`+lower(${value})` : sql`lower(${value})`
}

/** As a range, which an index finds. */
function startsWith(engine: Engine, column: UserColumn, text: string, indexed: boolean): Test {
  const prefix = lowerAscii(text)
  const value = lowered(engine, column, indexed)
  const end = successor(prefix)
  return end === undefined ? sql`${value} >= ${prefix}` : sql`(${value} >= ${prefix} and ${value} < ${end})`
}

function like(
  engine: Engine,
  column: UserColumn,
  operator: 'contains' | 'ends_with',
  text: string,
  indexed: boolean,
): Test {
  const escaped = text.replace(/[\\%_]/g, '\\$&')
  const pattern = operator === 'contains' ? `%${escaped}%` : `%${escaped}`
  if (engine === 'postgres') return sql`${lowered(engine, column, indexed)} like ${lowerAscii(pattern)} escape '\\'`
  const value = columnSql(engine, column, indexed)
  // The first half leads the index past everybody who has no value.
  const matches: Test = sql`(${value} >= '' and ${value} like ${pattern} escape '\\')`
  const hasTrigrams = (column === 'name' || column === 'email') && [...text].length >= TRIGRAM_LETTERS
  if (!indexed || !hasTrigrams) return matches
  // The trigrams find candidates in either column and anywhere in the text; the pattern decides.
  const candidates = sql`select rowid from "usersSearch" where "usersSearch" match ${trigrams(text)}`
  return sql`(users.rowid in (${candidates}) and ${matches})`
}

function trigrams(text: string): string {
  const letters = [...text]
  const parts = letters.slice(2).map((_, index) => letters.slice(index, index + TRIGRAM_LETTERS).join(''))
  const quoted = [...new Set(parts)].slice(0, TRIGRAMS_MAXIMUM).map((part) => `"${part.replaceAll('"', '""')}"`)
  return quoted.join(' AND ')
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

const LAST_CODE_POINT = 0x10ffff

/** The first text, by code points, that comes after every text with this prefix; undefined when there is none. */
function successor(prefix: string): string | undefined {
  const letters = [...prefix].map((letter) => letter.codePointAt(0) ?? 0)
  while (letters.at(-1) === LAST_CODE_POINT) letters.pop()
  const last = letters.pop()
  if (last === undefined) return undefined
  // Between these two are surrogates, which are no letters.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...letters, next)
}
