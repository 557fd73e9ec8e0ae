import type { OrganizationRole } from '../../server/platform/database/tables.ts'
import { counted, number } from '../shared/format/number.ts'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'

export type Role = OrganizationRole

/** What each role may do, in the order of the choices. */
export const ROLE_MEANINGS: Record<Role, string> = {
  member: 'Members use the services of the organization.',
  admin: 'Admins also invite and remove members, and manage API keys and settings.',
  owner: 'Owners do all of that, and also appoint owners and delete the organization.',
}

/** The roles that the user may grant. Only owners grant the role owner. */
export function grantableRoles(granterRole: Role): Partial<Record<Role, string>> {
  const { owner: _owner, ...others } = ORGANIZATION_ROLES
  return granterRole === 'owner' ? ORGANIZATION_ROLES : others
}

export function mayGrantRole(granterRole: Role, role: Role): boolean {
  return Object.hasOwn(grantableRoles(granterRole), role)
}

export function memberTotal({ owner, admin, member }: Record<Role, number>): number {
  return owner + admin + member
}

/** For example: 12 (1 owner, 2 admins, 9 members). */
export function roleCounts(counts: Record<Role, number>): string {
  const parts = (['owner', 'admin', 'member'] as const).flatMap((role) =>
    counts[role] === 0 ? [] : [counted(counts[role], role)],
  )
  return `${number(memberTotal(counts))} (${parts.join(', ')})`
}
