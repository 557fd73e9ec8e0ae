import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { assertFreshMember } from '../../../core/access/fresh-member.ts'
import {
  mayGrantRole,
  needsFreshSessionToGrant,
  parseOrganizationRole,
} from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { discardEmailsOfRefusedInvitations } from '../../../core/invitations/pass-invitations.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { hasOtherOwner } from '../../../core/memberships/owner-store.ts'
import { setMemberRole } from '../../../core/memberships/set-member-role.ts'
import { findMemberById } from '../../../core/memberships/store.ts'
import type { MemberRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { notifyFormerOwner, prepareFormerOwnerEmail } from './former-owner.ts'

/**
 * Sets one role, never a list of roles (CVE-2026-27802).
 * @throws ApiError ROLE_NOT_FOUND; MEMBER_NOT_FOUND; YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER;
 *   YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER; as `lockMembershipForUpdate` and `assertFreshMember`
 */
export async function updateMemberRole(
  context: Context,
  actor: Actor,
  caller: Caller,
  membership: AuthorizedMembership,
  { memberId, role: roleName }: { memberId: string; role: string },
): Promise<MemberRow> {
  const role = parseOrganizationRole(roleName)
  const expected = await findMemberById(context.database, membership.organization.id, memberId)
  const emailFor = await prepareFormerOwnerEmail(context, actor, caller, membership.organization, { expected, role })
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization, member: granter } = await lockMembershipForUpdate(transaction, membership)
    const member = await findMemberById(transaction, organization.id, memberId)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND', { field: 'memberId' })
    if (!mayGrantRole(granter.role, role) || (member.role === 'owner' && granter.role !== 'owner')) {
      throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
    }
    if (member.role === role) return member
    if (member.role === 'owner' || needsFreshSessionToGrant(role)) assertFreshMember(context, caller, organization)
    if (member.role === 'owner' && role !== 'owner' && !(await hasOtherOwner(transaction, member, context.now()))) {
      throw new ApiError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    }
    if (member.role === 'owner' && role !== 'owner') await notifyFormerOwner(unit, member, organization.name, emailFor)
    const changed = await setMemberRole(unit, member, role)
    await discardEmailsOfRefusedInvitations(transaction, context.now(), [member.userId], organization.id)
    return changed
  })
}
