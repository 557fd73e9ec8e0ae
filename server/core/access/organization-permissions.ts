/** What can be done in an organization, by resource. `has-permission`, the guards and the documentation read this file. */
const ORGANIZATION_PERMISSIONS = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  apiKey: ['create', 'read', 'update', 'delete'],
} as const

type Permissions = typeof ORGANIZATION_PERMISSIONS
/** Such as `invitation.create`. */
export type OrganizationPermission = { [R in keyof Permissions]: `${R}.${Permissions[R][number]}` }[keyof Permissions]
export type OrganizationRole = 'owner' | 'admin' | 'member'

const GRANTS: Record<OrganizationRole, readonly OrganizationPermission[]> = {
  owner: Object.entries(ORGANIZATION_PERMISSIONS).flatMap(([resource, actions]) =>
    actions.map((action) => `${resource}.${action}` as OrganizationPermission),
  ),
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
  ],
  member: [],
}

export function isOrganizationRole(text: string): text is OrganizationRole {
  return Object.hasOwn(GRANTS, text)
}

export function mayInOrganization(role: string, permission: OrganizationPermission): boolean {
  return isOrganizationRole(role) && GRANTS[role].includes(permission)
}

/** Only owners make owners, by whatever route (CVE-2026-27802). */
export function mayGrantRole(granterRole: string, role: OrganizationRole): boolean {
  return granterRole === 'owner' || (granterRole === 'admin' && role !== 'owner')
}
