import { type Static, Type } from 'typebox'
import { ApiError } from '../../../platform/http/errors.ts'
import { FilterValue, readFilterValues } from '../../../platform/http/filter-values.ts'
import { Fields, LINE_DESCRIPTION, LINE_PATTERN } from '../../../platform/http/schemas.ts'
import { parseTime } from '../../../platform/http/time.ts'
import {
  COLUMN_TYPES,
  type Condition,
  LIST_OPERATORS,
  OPERATORS,
  TEXT_OPERATORS,
  USER_COLUMNS,
  type UserColumn,
} from './columns.ts'

const LIMIT_DEFAULT = 100
const TEXT_LENGTH_MAXIMUM = 256
const FILTER_VALUES = {
  countMaximum: 100,
  lengthMaximum: TEXT_LENGTH_MAXIMUM,
  pattern: LINE_PATTERN,
  description: `one line of at most ${TEXT_LENGTH_MAXIMUM} characters, true or false, or a time in ISO 8601 or epoch milliseconds`,
}

const oneOf = <const T extends readonly string[]>(names: T, description: string) =>
  Type.Optional(Type.Unsafe<T[number]>({ type: 'string', enum: names, description }))
/** Of one line, as names and addresses are; an empty one is none. */
const Text = Type.String({ maxLength: TEXT_LENGTH_MAXIMUM, pattern: LINE_PATTERN, description: LINE_DESCRIPTION })

export const ListUsersQuery = Fields({
  searchValue: Type.Optional(Text),
  searchField: oneOf(['email', 'name'], 'default email'),
  searchOperator: oneOf(TEXT_OPERATORS, 'default contains'),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' })),
  offset: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,9}$', description: 'a whole number: how many people to skip' }),
  ),
  sortBy: oneOf(USER_COLUMNS, 'default createdAt'),
  sortDirection: oneOf(['asc', 'desc'], 'default asc'),
  filterField: oneOf(USER_COLUMNS, 'default email'),
  filterOperator: oneOf(OPERATORS, 'default eq'),
  filterValue: Type.Optional(FilterValue(FILTER_VALUES)),
})

export interface UserListing {
  conditions: Condition[]
  sortBy: UserColumn
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}

/**
 * The query of list-users, whose parameters are a closed list (CVE-2026-33503).
 * @throws ApiError VALIDATION_ERROR naming the parameter
 */
export function parseListUsersQuery(query: Static<typeof ListUsersQuery>): UserListing {
  const { searchValue, searchField = 'email', searchOperator = 'contains' } = query
  const filter = parseFilter(query)
  const search = { column: searchField, operator: searchOperator, values: [searchValue ?? ''] }
  return {
    conditions: [...(searchValue ? [search] : []), ...(filter ? [filter] : [])],
    sortBy: query.sortBy ?? 'createdAt',
    direction: query.sortDirection ?? 'asc',
    limit: query.limit === undefined ? LIMIT_DEFAULT : Number(query.limit),
    offset: Number(query.offset ?? 0),
  }
}

function parseFilter(query: Static<typeof ListUsersQuery>): Condition | undefined {
  const { filterField: column = 'email', filterOperator: operator = 'eq', filterValue } = query
  if (filterValue === undefined) {
    if (query.filterField === undefined && query.filterOperator === undefined) return undefined
    throw invalid('filterValue', 'filterValue is missing.')
  }
  const isList = LIST_OPERATORS.some((name) => name === operator)
  const texts = readFilterValues(filterValue, isList, FILTER_VALUES)
  const type = COLUMN_TYPES[column]
  if (type !== 'text' && TEXT_OPERATORS.some((name) => name === operator))
    throw invalid('filterOperator', `filterOperator must not be ${operator}, since ${column} is not text.`)
  return { column, operator, values: texts.map((text) => parseValue(type, text)) }
}

function parseValue(type: 'text' | 'flag' | 'time', text: string): string | number {
  if (type === 'text') return text
  if (type === 'time') return parseTime(text, 'filterValue')
  if (text === 'true' || text === 'false') return Number(text === 'true')
  throw invalid('filterValue', 'filterValue must be true or false.')
}

function invalid(field: string, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { field, message })
}
