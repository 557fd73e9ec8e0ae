import { sql } from 'kysely'
import type { SqlColumn } from '../../../platform/filter/condition-sql.ts'

/** The columns that users are filtered and sorted by, named as on the wire. */
export const USER_FILTER_COLUMNS = {
  id: { reference: sql.ref('users.id'), type: 'text', ownPrefix: 'usr_' },
  name: { reference: sql.ref('users.name'), type: 'text' },
  email: { reference: sql.ref('users.email'), type: 'text', isLowerCase: true },
  emailVerified: { reference: sql.ref('users.emailVerified'), type: 'flag' },
  image: { reference: sql.ref('users.image'), type: 'text', isNullable: true },
  createdAt: { reference: sql.ref('users.createdAt'), type: 'time' },
  updatedAt: { reference: sql.ref('users.updatedAt'), type: 'time' },
  role: { reference: sql.ref('users.role'), type: 'text' },
  banned: { reference: sql.ref('users.banned'), type: 'flag' },
  banReason: { reference: sql.ref('users.banReason'), type: 'text', isNullable: true },
  banExpires: { reference: sql.ref('users.banExpires'), type: 'time', isNullable: true },
  twoFactorEnabled: { reference: sql.ref('users.twoFactorEnabled'), type: 'flag' },
} as const satisfies Record<string, SqlColumn>

export type UserFilterColumn = keyof typeof USER_FILTER_COLUMNS
export const USER_FILTER_COLUMN_NAMES = Object.keys(USER_FILTER_COLUMNS) as UserFilterColumn[]
