import type { AuthorizedMembership } from '../../../core/access/access.ts'
import {
  assertOrganizationPermission,
  hasOrganizationPermission,
} from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { passInvitations } from '../../../core/invitations/pass-invitations.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import type { MemberRow } from '../../../platform/database/tables.ts'
import { type KeysOfLeaver, settleKeysOfLeaver } from '../api-keys/keys-of-leaver.ts'
import { endMembership } from './end-membership.ts'

/**
 * The caller leaves; open invitations pass to an owner. Of owners who leave at once, the last one can't.
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN to revoke API keys without a role for it; YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER
 */
export function leaveOrganization(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  revokeApiKeys: boolean,
): Promise<{ member: MemberRow; keys: KeysOfLeaver }> {
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    if (revokeApiKeys) assertOrganizationPermission(member.role, 'apiKey.delete')
    await endMembership(transaction, member)
    const keys = await settleKeys(unit, member, revokeApiKeys)
    const passedInvitations = await passInvitations(transaction, member)
    await unit.record({
      action: 'member.left',
      subjectId: member.userId,
      organizationId: organization.id,
      details: { role: member.role, passedInvitations },
    })
    return { member, keys }
  })
}

/** A member who may not read API keys is not told of them. */
async function settleKeys(
  unit: UnitOfWork,
  { userId, organizationId, role }: MemberRow,
  revoke: boolean,
): Promise<KeysOfLeaver> {
  if (!hasOrganizationPermission(role, 'apiKey.read')) return { usable: [], revoked: [] }
  return settleKeysOfLeaver(unit, { userId, organizationId }, revoke)
}
