import {
  USER_FILTER_COLUMN_NAMES,
  USER_FILTER_COLUMNS,
  type UserFilterColumn,
} from '../../server/features/staff/list-users/columns.ts'
import { FILTER_OPERATORS, TEXT_OPERATORS } from '../../server/platform/filter/parse-condition.ts'

const DAY = 86_400_000
/** Of each column a value that few of the made-up users have, contain or exceed, and one that most do. */
const VALUES: Record<UserFilterColumn, [few: string, most: string]> = {
  id: ['zzz', 'usr_'],
  name: ['Zoe', 'a'],
  email: ['maria', '@people.invalid'],
  emailVerified: ['false', 'true'],
  image: ['zzz', 'https://images'],
  createdAt: [daysAgo(1), daysAgo(700)],
  updatedAt: [daysAgo(1), daysAgo(700)],
  role: ['support', 'user'],
  banned: ['true', 'false'],
  banReason: ['Spam', 'a'],
  banExpires: [daysAgo(-80), daysAgo(0)],
  twoFactorEnabled: ['true', 'false'],
}

/** The query strings without a condition: one for every order. */
export const ORDERS = USER_FILTER_COLUMN_NAMES.flatMap((sortBy) =>
  ['asc', 'desc'].map((sortDirection) => `sortBy=${sortBy}&sortDirection=${sortDirection}`),
)

/** The query strings with a condition on a column: every operator, with both values, in every order. */
export function questionsAbout(column: UserFilterColumn): string[] {
  const isText = USER_FILTER_COLUMNS[column].type === 'text'
  const operators = FILTER_OPERATORS.filter((operator) => isText || !TEXT_OPERATORS.some((name) => name === operator))
  return operators.flatMap((operator) =>
    VALUES[column].flatMap((value) =>
      ORDERS.map((order) => `filterField=${column}&filterOperator=${operator}&filterValue=${value}&${order}`),
    ),
  )
}

function daysAgo(days: number): string {
  return String(Date.now() - days * DAY)
}
