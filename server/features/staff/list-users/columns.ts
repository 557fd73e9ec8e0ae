/** The columns that people can be filtered and sorted by, as they are on the wire, with their types there. */
export const COLUMN_TYPES = {
  id: 'text',
  name: 'text',
  email: 'text',
  emailVerified: 'flag',
  image: 'text',
  createdAt: 'time',
  updatedAt: 'time',
  role: 'text',
  banned: 'flag',
  banReason: 'text',
  banExpires: 'time',
  twoFactorEnabled: 'flag',
} as const

export type UserColumn = keyof typeof COLUMN_TYPES
export const USER_COLUMNS = Object.keys(COLUMN_TYPES) as UserColumn[]
export const NULLABLE_COLUMNS: readonly UserColumn[] = ['image', 'banReason', 'banExpires']
/** Columns whose letters are never upper-case. */
export const LOWER_CASE_COLUMNS: readonly UserColumn[] = ['id', 'email']

export const TEXT_OPERATORS = ['contains', 'starts_with', 'ends_with'] as const
export const LIST_OPERATORS = ['in', 'not_in'] as const
export const OPERATORS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', ...LIST_OPERATORS, ...TEXT_OPERATORS] as const
export type Operator = (typeof OPERATORS)[number]

/** One condition on one column. Flags are 0 or 1, times are epoch milliseconds. */
export interface Condition {
  column: UserColumn
  operator: Operator
  /** One value; of `in` and `not_in`, one or more. */
  values: (string | number)[]
}

/** ASCII alone: that is what SQLite lowers, and PostgreSQL under the collation "C". */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (message) => message.toLowerCase())
}
