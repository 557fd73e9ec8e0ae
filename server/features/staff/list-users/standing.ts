import { SERVICE_ROLES } from '../../../core/access/staff-permissions.ts'
import { type Condition, lowerAscii, type UserColumn } from './columns.ts'

/** Columns of which every value is known. Two-factor sign-in is nobody's yet. */
const STANDING_VALUES: Partial<Record<UserColumn, readonly (string | number)[]>> = {
  role: SERVICE_ROLES,
  emailVerified: [0, 1],
  banned: [0, 1],
  twoFactorEnabled: [0],
}

/**
 * The values of the condition's column that fit it, where all of them are known: any condition is then a short list,
 * which an index finds and a tally counts.
 */
export function fittingValues({ column, operator, values }: Condition): (string | number)[] | undefined {
  return STANDING_VALUES[column]?.filter((value) => fits(value, operator, values))
}

function fits(value: string | number, operator: Condition['operator'], values: Condition['values']): boolean {
  const other = values[0] ?? ''
  switch (operator) {
    case 'eq':
    case 'in':
      return values.includes(value)
    case 'ne':
    case 'not_in':
      return !values.includes(value)
    case 'lt':
      return value < other
    case 'lte':
      return value <= other
    case 'gt':
      return value > other
    case 'gte':
      return value >= other
    case 'contains':
      return String(value).includes(lowerAscii(String(other)))
    case 'starts_with':
      return String(value).startsWith(lowerAscii(String(other)))
    case 'ends_with':
      return String(value).endsWith(lowerAscii(String(other)))
  }
}
