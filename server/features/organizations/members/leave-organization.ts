import type { AuthorizedMembership, Membership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { assertFreshMember } from '../../../core/access/fresh-member.ts'
import {
  assertOrganizationPermission,
  hasOrganizationPermission,
} from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { discardEmailsOfRefusedInvitations, passInvitations } from '../../../core/invitations/pass-invitations.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import type { MemberRow } from '../../../platform/database/tables.ts'
import { type KeysOfLeaver, readKeysOfLeaver, revokeKeysOfLeaver } from '../api-keys/keys-of-leaver.ts'
import { deleteMembership } from './delete-membership.ts'

/**
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER; the errors
 *   of `assertFreshMember` for an owner, and for `revokeApiKeys`
 */
export function leaveOrganization(
  context: Context,
  actor: Actor,
  caller: Caller,
  membership: AuthorizedMembership,
  { revokeApiKeys }: { revokeApiKeys: boolean },
): Promise<{ member: MemberRow; keys: KeysOfLeaver }> {
  return inTransaction(context, actor, async (unit) => {
    const locked = await lockMembershipForUpdate(unit.transaction, membership)
    return leaveLockedOrganization(unit, caller, locked, revokeApiKeys)
  })
}

/** The transaction has locked the organization. @throws ApiError as `leaveOrganization` */
export async function leaveLockedOrganization(
  unit: UnitOfWork,
  caller: Caller,
  { organization, member }: Membership,
  revokeApiKeys: boolean,
): Promise<{ member: MemberRow; keys: KeysOfLeaver }> {
  const { transaction, context, record } = unit
  if (revokeApiKeys) assertOrganizationPermission(member.role, 'apiKey.delete')
  await deleteMembership(transaction, member, context.now())
  // deleteMembership refuses the only owner first: a fresh session would not help that user.
  if (revokeApiKeys || member.role === 'owner') assertFreshMember(context, caller, organization)
  const keys = revokeApiKeys ? await revokeKeysOfLeaver(unit, member) : await listReadableKeys(unit, member)
  const passed = await passInvitations(transaction, context.now(), member)
  await discardEmailsOfRefusedInvitations(transaction, context.now(), [member.userId], organization.id)
  await record({
    action: 'member.left',
    subjectId: member.userId,
    organizationId: organization.id,
    details: { role: member.role, ...passed },
  })
  return { member, keys }
}

async function listReadableKeys(unit: UnitOfWork, leaver: MemberRow): Promise<KeysOfLeaver> {
  const mayRead = hasOrganizationPermission(leaver.role, 'apiKey.read')
  return mayRead ? readKeysOfLeaver(unit, leaver) : { usable: [], revoked: [] }
}
