import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Config } from '../../../platform/config/config.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { FilterValue, readFilterValues } from '../../../platform/http/filter-values.ts'
import { PageFields } from '../../../platform/http/paging.ts'
import { Fields, Id, OneOf } from '../../../platform/http/schemas.ts'
import { parseTime } from '../../../platform/http/time.ts'

/** A closed list (CVE-2026-33503): nothing of a request becomes a name in SQL. */
const COLUMNS = {
  id: 'members.id',
  userId: 'members.userId',
  role: 'members.role',
  createdAt: 'members.createdAt',
  name: 'users.name',
  email: 'users.email',
} as const
type Field = keyof typeof COLUMNS
const FIELDS = Object.keys(COLUMNS) as Field[]

const COMPARISONS = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const
const LISTS = { in: 'in', not_in: 'not in' } as const
const PATTERNS = {
  contains: (text: string) => `%${text}%`,
  starts_with: (text: string) => `${text}%`,
  ends_with: (text: string) => `%${text}`,
} as const
type Operator = keyof typeof COMPARISONS | keyof typeof LISTS | keyof typeof PATTERNS
const OPERATORS = [...Object.keys(COMPARISONS), ...Object.keys(LISTS), ...Object.keys(PATTERNS)] as Operator[]

const FILTER_VALUES = {
  countMaximum: 100,
  lengthMaximum: 320,
  // PostgreSQL takes no NUL.
  pattern: '^[^\\u0000]*$',
  description: 'at most 320 characters',
}

export const ListMembersQuery = Fields({
  organizationId: Type.Optional(Id),
  organizationSlug: Type.Optional(Id),
  ...PageFields,
  sortBy: Type.Optional(OneOf(...FIELDS)),
  sortDirection: Type.Optional(OneOf('asc', 'desc')),
  filterField: Type.Optional(OneOf(...FIELDS)),
  filterValue: Type.Optional(FilterValue(FILTER_VALUES)),
  filterOperator: Type.Optional(OneOf(...OPERATORS)),
})
type Query = Static<typeof ListMembersQuery>

type Engine = Config['database']['engine']
export interface MemberOrder {
  column: RawBuilder<unknown>
  direction: 'asc' | 'desc'
}
export type MemberFilter = RawBuilder<SqlBool>

export function parseMemberOrder(engine: Engine, { sortBy = 'createdAt', sortDirection = 'asc' }: Query): MemberOrder {
  return { column: columnOf(engine, sortBy), direction: sortDirection }
}

/** @throws ApiError VALIDATION_ERROR naming the part of the filter that is missing or does not fit */
export function parseMemberFilter(engine: Engine, query: Query): MemberFilter | undefined {
  const { filterField, filterValue, filterOperator = 'eq' } = query
  if (filterField === undefined && filterValue === undefined) return undefined
  if (filterField === undefined) throw invalid('filterField', 'filterField is missing.')
  if (filterValue === undefined) throw invalid('filterValue', 'filterValue is missing.')
  const texts = readFilterValues(filterValue, filterOperator in LISTS, FILTER_VALUES)
  const column = columnOf(engine, filterField)
  if (filterOperator in PATTERNS) {
    if (filterField === 'createdAt')
      throw invalid('filterOperator', `createdAt can not be filtered by ${filterOperator}.`)
    const pattern = PATTERNS[filterOperator as keyof typeof PATTERNS](escapeLike(lowerAscii(texts[0] ?? '')))
    return sql<SqlBool>`lower(${column}) like ${pattern} escape '\\'`
  }
  const values: (string | number)[] =
    filterField === 'createdAt' ? texts.map((text) => parseTime(text, 'filterValue')) : texts
  if (filterOperator in LISTS) {
    return sql<SqlBool>`${column} ${sql.raw(LISTS[filterOperator as keyof typeof LISTS])} (${sql.join(values)})`
  }
  return sql<SqlBool>`${column} ${sql.raw(COMPARISONS[filterOperator as keyof typeof COMPARISONS])} ${values[0]}`
}

/** Text is compared by code point, and `lower` knows ASCII only, as SQLite does it: the same on both engines. */
function columnOf(engine: Engine, field: Field): RawBuilder<unknown> {
  const column = sql.ref(COLUMNS[field])
  return engine === 'postgres' && field !== 'createdAt' ? sql`${column} collate "C"` : column
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (emails) => emails.toLowerCase())
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

function invalid(field: string, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { field, message })
}
