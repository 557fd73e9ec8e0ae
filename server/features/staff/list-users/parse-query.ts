import { type Static, Type } from 'typebox'
import { SEARCH_LENGTH_MAXIMUM } from '../../../core/field-limits.ts'
import {
  type Condition,
  FILTER_OPERATORS,
  type FilterOperator,
  FilterValue,
  parseCondition,
  parseFilter,
  TEXT_OPERATORS,
} from '../../../platform/filter/parse-condition.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { Fields, LINE_DESCRIPTION, LINE_PATTERN, OptionalOneOf } from '../../../platform/http/schemas.ts'
import { USER_FILTER_COLUMN_NAMES, USER_FILTER_COLUMNS, type UserFilterColumn } from './columns.ts'

const LIMIT_DEFAULT = 100
const VALUE_RULES = {
  countMaximum: 100,
  lengthMaximum: SEARCH_LENGTH_MAXIMUM,
  pattern: LINE_PATTERN,
  description: `one line of at most ${SEARCH_LENGTH_MAXIMUM} characters, true or false, or a time in ISO 8601 or epoch milliseconds`,
}
const FILTER_RULES = {
  columns: USER_FILTER_COLUMNS,
  values: VALUE_RULES,
  describeMismatch: (column: UserFilterColumn, operator: string) =>
    `filterOperator must not be ${operator}, since ${column} is not text.`,
}

const MORE_FILTERS_MAXIMUM = 5
const MoreFilter = {
  type: 'string',
  maxLength: SEARCH_LENGTH_MAXIMUM,
  pattern: `^((${USER_FILTER_COLUMN_NAMES.join('|')}):(${FILTER_OPERATORS.join('|')}):[^\\u0000-\\u001f]*|hasPasskey:eq:(true|false))$`,
}

const Text = Type.String({ maxLength: SEARCH_LENGTH_MAXIMUM, pattern: LINE_PATTERN, description: LINE_DESCRIPTION })

export const ListUsersQuery = Fields({
  searchValue: Type.Optional(Text),
  searchField: OptionalOneOf(['email', 'name', 'any'], 'default email; any: name or email'),
  searchOperator: OptionalOneOf(TEXT_OPERATORS, 'default contains'),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' })),
  offset: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,9}$', description: 'a whole number: how many users to skip' }),
  ),
  sortBy: OptionalOneOf(USER_FILTER_COLUMN_NAMES, 'default createdAt'),
  sortDirection: OptionalOneOf(['asc', 'desc'], 'default asc'),
  filterField: OptionalOneOf(USER_FILTER_COLUMN_NAMES, 'default email'),
  filterOperator: OptionalOneOf(FILTER_OPERATORS, 'default eq'),
  filterValue: Type.Optional(FilterValue(VALUE_RULES)),
  filter: Type.Optional(
    Type.Unsafe<string | string[]>({
      anyOf: [MoreFilter, { type: 'array', items: MoreFilter, minItems: 1, maxItems: MORE_FILTERS_MAXIMUM }],
      description: `field:operator:value, at most ${MORE_FILTERS_MAXIMUM} times: conditions beside filterField; or hasPasskey:eq:true, hasPasskey:eq:false`,
    }),
  ),
})

export type UserCondition = Condition<UserFilterColumn | 'any' | 'hasPasskey'>

export interface UserListing {
  conditions: UserCondition[]
  sortBy: UserFilterColumn
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}

/** The parameters are a closed list (CVE-2026-33503). @throws ApiError VALIDATION_ERROR naming the parameter */
export function parseListUsersQuery(query: Static<typeof ListUsersQuery>): UserListing {
  const { searchValue, searchField = 'email', searchOperator = 'contains' } = query
  const filter = parseFilter(query, 'email', FILTER_RULES)
  const search = { column: searchField, operator: searchOperator, values: [searchValue ?? ''] }
  return {
    conditions: [...(searchValue ? [search] : []), ...(filter ? [filter] : []), ...parseMoreFilters(query)],
    sortBy: query.sortBy ?? 'createdAt',
    direction: query.sortDirection ?? 'asc',
    limit: query.limit === undefined ? LIMIT_DEFAULT : Number(query.limit),
    offset: Number(query.offset ?? 0),
  }
}

/** The pattern of the schema has checked the column and the operator. */
function parseMoreFilters({ filter = [] }: Static<typeof ListUsersQuery>): UserCondition[] {
  return [filter].flat().map((text) => {
    const [column = '', operator = '', ...value] = text.split(':')
    if (column === 'hasPasskey') return { column, operator: 'eq', values: [value[0] === 'true' ? 1 : 0] }
    try {
      return parseCondition(column as UserFilterColumn, operator as FilterOperator, value.join(':'), FILTER_RULES)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw new ApiError('VALIDATION_ERROR', { field: 'filter', message: `filter: ${error.message}` })
    }
  })
}
