import { sql } from 'kysely'
import { Type } from 'typebox'
import type { SqlColumn } from '../../../platform/filter/condition-sql.ts'
import { FILTER_OPERATORS, FilterValue } from '../../../platform/filter/parse-condition.ts'
import { pageFields } from '../../../platform/http/paging.ts'
import { Fields, Id, OneOf } from '../../../platform/http/schemas.ts'

/** Column names in SQL come from this list, never from a request (CVE-2026-33503). */
export const MEMBER_FILTER_COLUMNS = {
  id: { reference: sql.ref('members.id'), type: 'text' },
  userId: { reference: sql.ref('members.userId'), type: 'text' },
  role: { reference: sql.ref('members.role'), type: 'text' },
  createdAt: { reference: sql.ref('members.createdAt'), type: 'time' },
  name: { reference: sql.ref('users.name'), type: 'text' },
  email: { reference: sql.ref('users.email'), type: 'text' },
} as const satisfies Record<string, SqlColumn>
export type MemberFilterColumn = keyof typeof MEMBER_FILTER_COLUMNS
const NAMES = Object.keys(MEMBER_FILTER_COLUMNS) as MemberFilterColumn[]

// PostgreSQL can't store NUL.
const TEXT_RULES = { maxLength: 320, pattern: '^[^\\u0000]*$' }
const VALUE_RULES = {
  countMaximum: 100,
  lengthMaximum: TEXT_RULES.maxLength,
  pattern: TEXT_RULES.pattern,
  description: `at most ${TEXT_RULES.maxLength} characters`,
}
export const MEMBER_FILTER_RULES = {
  columns: MEMBER_FILTER_COLUMNS,
  values: VALUE_RULES,
  describeMismatch: (column: MemberFilterColumn, operator: string) => `${column} can't be filtered by ${operator}.`,
}

export const MEMBERS_PER_PAGE_MAXIMUM = 100
export const ListMembersQuery = Fields({
  organizationId: Type.Optional(Id),
  organizationSlug: Type.Optional(Id),
  ...pageFields(MEMBERS_PER_PAGE_MAXIMUM),
  sortBy: Type.Optional(OneOf(...NAMES)),
  sortDirection: Type.Optional(OneOf('asc', 'desc')),
  searchValue: Type.Optional(
    Type.String({ ...TEXT_RULES, description: 'a part of the name or of the email address, without regard to case' }),
  ),
  filterField: Type.Optional(OneOf(...NAMES)),
  filterValue: Type.Optional(FilterValue(VALUE_RULES)),
  filterOperator: Type.Optional(OneOf(...FILTER_OPERATORS)),
})

export interface MemberOrder {
  sortBy: MemberFilterColumn
  direction: 'asc' | 'desc'
}
