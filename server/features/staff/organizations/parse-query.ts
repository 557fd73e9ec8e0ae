import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { SEARCH_LENGTH_MAXIMUM } from '../../../core/field-limits.ts'
import type { SqlColumn } from '../../../platform/filter/condition-sql.ts'
import {
  type Condition,
  FILTER_OPERATORS,
  FilterValue,
  parseFilter,
  TEXT_OPERATORS,
} from '../../../platform/filter/parse-condition.ts'
import { ListPageFields, type Page, parseListPage } from '../../../platform/http/paging.ts'
import { Fields, LINE_DESCRIPTION, LINE_PATTERN, OneOf, OptionalOneOf } from '../../../platform/http/schemas.ts'

/** The columns that organizations are filtered by, named as on the wire. */
export const ORGANIZATION_FILTER_COLUMNS = {
  id: { reference: sql.ref('organizations.id'), type: 'text', ownPrefix: 'org_' },
  name: { reference: sql.ref('organizations.name'), type: 'text' },
  slug: { reference: sql.ref('organizations.slug'), type: 'text', isLowerCase: true },
  createdAt: { reference: sql.ref('organizations.createdAt'), type: 'time' },
} as const satisfies Record<string, SqlColumn>
export type OrganizationFilterColumn = keyof typeof ORGANIZATION_FILTER_COLUMNS

const VALUE_RULES = {
  countMaximum: 100,
  lengthMaximum: SEARCH_LENGTH_MAXIMUM,
  pattern: LINE_PATTERN,
  description: `one line of at most ${SEARCH_LENGTH_MAXIMUM} characters, or a time in ISO 8601 or epoch milliseconds`,
}
const FILTER_RULES = {
  columns: ORGANIZATION_FILTER_COLUMNS,
  values: VALUE_RULES,
  describeMismatch: (column: OrganizationFilterColumn, operator: string) =>
    `filterOperator must not be ${operator}, since ${column} is not text.`,
}

export const ListOrganizationsQuery = Fields({
  searchValue: Type.Optional(
    Type.String({ maxLength: SEARCH_LENGTH_MAXIMUM, pattern: LINE_PATTERN, description: LINE_DESCRIPTION }),
  ),
  searchField: OptionalOneOf(['name', 'slug', 'any'], 'default name; any: name or slug'),
  searchOperator: Type.Optional(OneOf(...TEXT_OPERATORS)),
  filterField: Type.Optional(OneOf('id', 'name', 'slug', 'createdAt')),
  filterOperator: Type.Optional(OneOf(...FILTER_OPERATORS)),
  filterValue: Type.Optional(FilterValue(VALUE_RULES)),
  sortBy: Type.Optional(OneOf('name', 'slug', 'createdAt')),
  sortDirection: Type.Optional(OneOf('asc', 'desc')),
  ...ListPageFields,
})
type Query = Static<typeof ListOrganizationsQuery>

export interface OrganizationListing extends Page {
  conditions: Condition<OrganizationFilterColumn | 'any'>[]
  sortBy: OrganizationFilterColumn
  direction: 'asc' | 'desc'
}

/** @throws ApiError VALIDATION_ERROR naming the parameter */
export function parseListOrganizationsQuery(query: Query): OrganizationListing {
  const { searchValue, searchField = 'name', searchOperator = 'contains' } = query
  const filter = parseFilter(query, 'name', FILTER_RULES)
  const search = { column: searchField, operator: searchOperator, values: [searchValue ?? ''] }
  return {
    ...parseListPage(query),
    conditions: [...(searchValue ? [search] : []), ...(filter ? [filter] : [])],
    sortBy: query.sortBy ?? 'name',
    direction: query.sortDirection ?? 'asc',
  }
}
