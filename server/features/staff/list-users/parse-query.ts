import { type Static, Type } from 'typebox'
import {
  type Condition,
  FilterValue,
  missingParameter,
  OPERATORS,
  parseCondition,
  TEXT_OPERATORS,
} from '../../../platform/filter/parse-condition.ts'
import { Fields, LINE_DESCRIPTION, LINE_PATTERN } from '../../../platform/http/schemas.ts'
import { COLUMNS, USER_COLUMNS, type UserColumn } from './columns.ts'

const LIMIT_DEFAULT = 100
const TEXT_LENGTH_MAXIMUM = 256
const VALUE_RULES = {
  countMaximum: 100,
  lengthMaximum: TEXT_LENGTH_MAXIMUM,
  pattern: LINE_PATTERN,
  description: `one line of at most ${TEXT_LENGTH_MAXIMUM} characters, true or false, or a time in ISO 8601 or epoch milliseconds`,
}
const FILTER_RULES = {
  columns: COLUMNS,
  values: VALUE_RULES,
  describeMismatch: (column: UserColumn, operator: string) =>
    `filterOperator must not be ${operator}, since ${column} is not text.`,
}

const oneOf = <const T extends readonly string[]>(names: T, description: string) =>
  Type.Optional(Type.Unsafe<T[number]>({ type: 'string', enum: names, description }))
/** One line, as names and email addresses are; an empty one does not search. */
const Text = Type.String({ maxLength: TEXT_LENGTH_MAXIMUM, pattern: LINE_PATTERN, description: LINE_DESCRIPTION })

export const ListUsersQuery = Fields({
  searchValue: Type.Optional(Text),
  searchField: oneOf(['email', 'name'], 'default email'),
  searchOperator: oneOf(TEXT_OPERATORS, 'default contains'),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' })),
  offset: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,9}$', description: 'a whole number: how many users to skip' }),
  ),
  sortBy: oneOf(USER_COLUMNS, 'default createdAt'),
  sortDirection: oneOf(['asc', 'desc'], 'default asc'),
  filterField: oneOf(USER_COLUMNS, 'default email'),
  filterOperator: oneOf(OPERATORS, 'default eq'),
  filterValue: Type.Optional(FilterValue(VALUE_RULES)),
})

export interface UserListing {
  conditions: Condition<UserColumn>[]
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

function parseFilter(query: Static<typeof ListUsersQuery>): Condition<UserColumn> | undefined {
  const { filterField = 'email', filterOperator = 'eq', filterValue } = query
  if (filterValue !== undefined) return parseCondition(filterField, filterOperator, filterValue, FILTER_RULES)
  if (query.filterField === undefined && query.filterOperator === undefined) return undefined
  throw missingParameter('filterValue')
}
