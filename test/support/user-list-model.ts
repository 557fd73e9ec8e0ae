import { USER_FILTER_COLUMNS, type UserFilterColumn } from '../../server/features/staff/list-users/columns.ts'
import type { UserRow } from '../../server/platform/database/tables.ts'
import type { ColumnType, FilterOperator } from '../../server/platform/filter/parse-condition.ts'

/** A simple model of list-users, whose result the tests compare with the response. */
export type ModelUser = Record<UserFilterColumn, string | number | boolean | null> & { id: string }

export interface ModelQuery {
  searchField?: 'email' | 'name' | 'any'
  searchOperator?: FilterOperator
  searchValue?: string
  filterField?: UserFilterColumn
  filterOperator?: FilterOperator
  filterValue?: string | string[]
  /** field:operator:value */
  filter?: string[]
  sortBy?: UserFilterColumn
  sortDirection?: 'asc' | 'desc'
  limit?: string
  offset?: string
}

export function toModelUser(row: UserRow, now: number): ModelUser {
  const banned = row.banned === 1 && (row.banExpires === null || row.banExpires > now)
  return {
    ...row,
    emailVerified: row.emailVerified === 1,
    banned,
    banReason: banned ? row.banReason : null,
    banExpires: banned ? row.banExpires : null,
    twoFactorEnabled: row.twoFactorEnabled === 1,
  }
}

export function modelList(users: ModelUser[], query: ModelQuery): { users: ModelUser[]; total: number } {
  const { searchField = 'email', searchOperator = 'contains', searchValue } = query
  const { filterField = 'email', filterOperator = 'eq', filterValue } = query
  const { filter = [], sortBy = 'createdAt', sortDirection = 'asc', limit = '100', offset = '0' } = query
  const columns = searchField === 'any' ? (['name', 'email'] as const) : [searchField]
  const found = users
    .filter((user) => !searchValue || columns.some((column) => fits(user, column, searchOperator, [searchValue])))
    .filter((user) => filterValue === undefined || fits(user, filterField, filterOperator, [filterValue].flat()))
    .filter((user) => filter.every((text) => fitsText(user, text)))
  const sign = sortDirection === 'asc' ? 1 : -1
  const sorted = found.toSorted(
    (one, other) => sign * (compare(one[sortBy], other[sortBy]) || compare(one.id, other.id)),
  )
  return { users: sorted.slice(Number(offset), Number(offset) + Number(limit)), total: found.length }
}

function fitsText(user: ModelUser, text: string): boolean {
  const [column, operator, ...value] = text.split(':')
  return fits(user, column as UserFilterColumn, operator as FilterOperator, [value.join(':')])
}

function fits(user: ModelUser, column: UserFilterColumn, operator: FilterOperator, texts: string[]): boolean {
  const value = user[column]
  const wanted = texts.map((text) => parse(USER_FILTER_COLUMNS[column].type, text))
  const [first = ''] = wanted
  const folded = value === null ? undefined : fold(String(value))
  const isKnown = value !== null
  switch (operator) {
    case 'eq':
    case 'in':
      return wanted.includes(value)
    case 'ne':
    case 'not_in':
      return !wanted.includes(value)
    case 'lt':
      return isKnown && compare(value, first) < 0
    case 'lte':
      return isKnown && compare(value, first) <= 0
    case 'gt':
      return isKnown && compare(value, first) > 0
    case 'gte':
      return isKnown && compare(value, first) >= 0
    case 'contains':
      return folded?.includes(fold(String(first))) ?? false
    case 'starts_with':
      return folded?.startsWith(fold(String(first))) ?? false
    case 'ends_with':
      return folded?.endsWith(fold(String(first))) ?? false
  }
}

function parse(type: ColumnType, text: string): string | number | boolean | null {
  if (type === 'flag') return text === 'true'
  if (type === 'time') return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
  return text
}

/** Null comes first. Text is compared by code point, which is the order of its UTF-8 bytes. */
function compare(one: string | number | boolean | null, other: string | number | boolean | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}

function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
