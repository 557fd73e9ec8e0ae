import type { UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'

/** What staff may do, by resource. `has-permission`, the guards and the documentation read this file. */
const STAFF_PERMISSIONS = {
  user: ['create', 'list', 'get', 'update', 'set-role', 'ban', 'impersonate', 'delete', 'set-password', 'set-email'],
  session: ['list', 'revoke'],
  audit: ['list'],
  email: ['retry'],
} as const

type Permissions = typeof STAFF_PERMISSIONS
/** Such as `user.ban`. */
export type StaffPermission = { [R in keyof Permissions]: `${R}.${Permissions[R][number]}` }[keyof Permissions]
export type ServiceRole = 'user' | 'support' | 'admin'

const GRANTS: Record<ServiceRole, readonly StaffPermission[]> = {
  admin: Object.entries(STAFF_PERMISSIONS).flatMap(([resource, actions]) =>
    actions.map((action) => `${resource}.${action}` as StaffPermission),
  ),
  support: ['user.list', 'user.get', 'user.ban', 'session.list', 'session.revoke'],
  user: [],
}

export const SERVICE_ROLES = Object.keys(GRANTS) as ServiceRole[]

function isServiceRole(text: string): text is ServiceRole {
  return Object.hasOwn(GRANTS, text)
}

export function mayAsStaff(role: string, permission: StaffPermission): boolean {
  return isServiceRole(role) && GRANTS[role].includes(permission)
}

export function isStaff({ role }: Pick<UserRow, 'role'>): boolean {
  return role === 'support' || role === 'admin'
}

/** @throws ApiError YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE */
export function parseServiceRole(text: string): ServiceRole {
  if (!isServiceRole(text)) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE', { field: 'role' })
  return text
}
