import type { OrganizationRole } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'

const ORGANIZATION_PERMISSIONS = [
  'organization.update',
  'organization.require-two-factor',
  'organization.delete',
  'member.create',
  'member.update',
  'member.delete',
  'invitation.create',
  'invitation.cancel',
  'apiKey.create',
  'apiKey.read',
  'apiKey.update',
  'apiKey.delete',
  'audit.list',
  'oauth-client.manage',
] as const

export type OrganizationPermission = (typeof ORGANIZATION_PERMISSIONS)[number]
/** A permission that a route requires of a member. Every role satisfies `membership`. */
export type RequiredOfMember = OrganizationPermission | 'membership'

const GRANTS: Record<OrganizationRole, readonly OrganizationPermission[]> = {
  owner: ORGANIZATION_PERMISSIONS,
  admin: [
    'organization.update',
    'member.create',
    'member.update',
    'member.delete',
    'invitation.create',
    'invitation.cancel',
    'apiKey.create',
    'apiKey.read',
    'apiKey.update',
    'apiKey.delete',
    'audit.list',
  ],
  member: [],
}

export const ORGANIZATION_ROLES = Object.keys(GRANTS) as OrganizationRole[]

export function isOrganizationRole(text: string): text is OrganizationRole {
  return Object.hasOwn(GRANTS, text)
}

export function listOrganizationPermissions(role: string): readonly OrganizationPermission[] {
  return isOrganizationRole(role) ? GRANTS[role] : []
}

export function hasOrganizationPermission(role: string, permission: OrganizationPermission): boolean {
  return listOrganizationPermissions(role).includes(permission)
}

/** @throws ApiError FORBIDDEN */
export function assertOrganizationPermission(role: string, required: RequiredOfMember): void {
  if (required !== 'membership' && !hasOrganizationPermission(role, required)) throw new ApiError('FORBIDDEN')
}

/** Only owners grant the role owner, on every route (CVE-2026-27802). */
export function mayGrantRole(granterRole: string, role: OrganizationRole): boolean {
  return granterRole === 'owner' || (granterRole === 'admin' && role !== 'owner')
}
