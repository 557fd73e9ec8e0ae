import type { OrganizationRole, ServiceRole } from '../../../server/platform/database/tables.ts'
import { findValue } from './find-value.ts'

export const ORGANIZATION_ROLES: Record<OrganizationRole, string> = { member: 'Member', admin: 'Admin', owner: 'Owner' }

export const SERVICE_ROLES: Record<ServiceRole, string> = { user: 'User', support: 'Support', admin: 'Administrator' }

export function organizationRoleName(role: string): string {
  return findValue(ORGANIZATION_ROLES, role) ?? role
}

export function serviceRoleName(role: string): string {
  return findValue(SERVICE_ROLES, role) ?? role
}
