import type { OrganizationRole } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'

const ORGANIZATION_PERMISSIONS = [
  'organization.update',
  'organization.require-two-factor',
  'organization.transfer',
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
/** Every role satisfies `membership`. */
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

/** @throws ApiError ROLE_NOT_FOUND */
export function parseOrganizationRole(text: string): OrganizationRole {
  const role = ORGANIZATION_ROLES.find((known) => known === text)
  if (!role) throw new ApiError('ROLE_NOT_FOUND', { field: 'role' })
  return role
}

/** During an upgrade, the next version may store a role that this one does not know. It grants nothing here. */
export function listOrganizationPermissions(role: OrganizationRole): readonly OrganizationPermission[] {
  return GRANTS[role] ?? []
}

export function hasOrganizationPermission(role: OrganizationRole, permission: OrganizationPermission): boolean {
  return listOrganizationPermissions(role).includes(permission)
}

/** @throws ApiError FORBIDDEN */
export function assertOrganizationPermission(role: OrganizationRole, required: RequiredOfMember): void {
  if (required !== 'membership' && !hasOrganizationPermission(role, required)) throw new ApiError('FORBIDDEN')
}

/** Only owners grant the role owner, on every route (CVE-2026-27802). */
export function mayGrantRole(granterRole: OrganizationRole, role: OrganizationRole): boolean {
  return granterRole === 'owner' || (granterRole === 'admin' && role !== 'owner')
}

/** The role may create API keys, which stay valid after the member's sessions have ended. */
export function needsFreshSessionToGrant(role: OrganizationRole): boolean {
  return hasOrganizationPermission(role, 'apiKey.create')
}
