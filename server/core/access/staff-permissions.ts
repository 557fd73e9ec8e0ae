import type { ServiceRole, UserRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'

const STAFF_PERMISSIONS = [
  'user.create',
  'user.list',
  'user.get',
  'user.update',
  'user.set-role',
  'user.ban',
  'user.impersonate',
  'user.delete',
  'user.set-password',
  'user.set-email',
  'user.reset-two-factor',
  'session.list',
  'session.revoke',
  'organization.list',
  'organization.create',
  'invitation.list',
  'audit.list',
  'email.list',
  'email.retry',
  'email.test',
  'statistics.read',
  'throttle.list',
  'throttle.clear',
  'system.read',
  'oauth-client.manage',
] as const

export type StaffPermission = (typeof STAFF_PERMISSIONS)[number]

const GRANTS: Record<ServiceRole, readonly StaffPermission[]> = {
  admin: STAFF_PERMISSIONS,
  support: [
    'user.list',
    'user.get',
    'user.ban',
    'session.list',
    'session.revoke',
    'organization.list',
    'invitation.list',
    'email.list',
    'statistics.read',
    'throttle.list',
  ],
  user: [],
}

export const SERVICE_ROLES = Object.keys(GRANTS) as ServiceRole[]

/** During an upgrade, the next version may store a role that this one does not know. It grants nothing here. */
export function listStaffPermissions(role: ServiceRole): readonly StaffPermission[] {
  return GRANTS[role] ?? []
}

export function hasStaffPermission(role: ServiceRole, permission: StaffPermission): boolean {
  return listStaffPermissions(role).includes(permission)
}

/** @throws ApiError FORBIDDEN */
export function assertStaffPermission(role: ServiceRole, permission: StaffPermission): void {
  if (!hasStaffPermission(role, permission)) throw new ApiError('FORBIDDEN')
}

export function isStaff({ role }: Pick<UserRow, 'role'>): boolean {
  return role === 'support' || role === 'admin'
}

/** @throws ApiError YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE */
export function parseServiceRole(text: string): ServiceRole {
  const role = SERVICE_ROLES.find((known) => known === text)
  if (!role) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE', { field: 'role' })
  return role
}
