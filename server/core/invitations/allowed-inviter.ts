import type { ExpressionBuilder } from 'kysely'
import type { OrganizationRole, ServiceRole, Tables } from '../../platform/database/tables.ts'
import { hasOrganizationPermission, mayGrantRole, ORGANIZATION_ROLES } from '../access/organization-permissions.ts'
import { hasStaffPermission, SERVICE_ROLES } from '../access/staff-permissions.ts'
import { isBanned, isNotBanned } from '../users/banned.ts'
import { type InvitationDetails, isOwnerNeededRow } from './details-store.ts'

export function isInviterAllowed(details: InvitationDetails, now: number): boolean {
  const { inviterBan } = details
  return inviterBan !== null && !isBanned(inviterBan, now) && isAllowedByRole(details)
}

/** A ban of the inviter does not count. */
export function isAllowedByRole(details: InvitationDetails): boolean {
  return mayStillInvite(details.inviterRole, details.invitation.role) || isNeededOwner(details)
}

const INVITERS_OF_OWNERS = SERVICE_ROLES.filter(mayInviteOwner)

const ALLOWED_ROLES = ORGANIZATION_ROLES.flatMap((inviterRole) =>
  ORGANIZATION_ROLES.filter((role) => mayStillInvite(inviterRole, role)).map((role) => [inviterRole, role] as const),
)

/** The condition `isInviterAllowed` for rows of `invitations`. */
export function isInviterAllowedRow(now: number) {
  return (where: ExpressionBuilder<Tables, 'invitations'>) =>
    where.exists(
      where
        .selectFrom('users')
        .leftJoin('members', (join) =>
          join
            .onRef('members.userId', '=', 'users.id')
            .onRef('members.organizationId', '=', 'invitations.organizationId'),
        )
        .select('users.id')
        .whereRef('users.id', '=', 'invitations.inviterId')
        .where(isNotBanned(now))
        .where((inviter) =>
          inviter.or([
            ...ALLOWED_ROLES.map(([inviterRole, role]) =>
              inviter.and([inviter('members.role', '=', inviterRole), inviter('invitations.role', '=', role)]),
            ),
            inviter.and([inviter('users.role', 'in', INVITERS_OF_OWNERS), isOwnerNeededRow(now)(inviter)]),
          ]),
        ),
    )
}

/** Staff invite the owner of an organization without one. Staff are not members of it. */
function isNeededOwner({ inviterServiceRole, isOwnerNeeded }: InvitationDetails): boolean {
  return isOwnerNeeded && inviterServiceRole !== null && mayInviteOwner(inviterServiceRole)
}

function mayInviteOwner(role: ServiceRole): boolean {
  return hasStaffPermission(role, 'organization.create')
}

export function mayStillInvite(inviterRole: OrganizationRole | null, role: OrganizationRole): boolean {
  return (
    inviterRole !== null &&
    hasOrganizationPermission(inviterRole, 'invitation.create') &&
    mayGrantRole(inviterRole, role)
  )
}
