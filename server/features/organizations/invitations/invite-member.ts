import type { AuthorizedMembership, Membership } from '../../../core/access/access.ts'
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
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import type { InvitationRow, OrganizationRole } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { draftInvitation } from './prepare-invitation.ts'
import { listLikelyIds } from './refusals.ts'
import { saveInvitation } from './save-invitations.ts'

interface InvitationRequest {
  email: string
  role: string
  resend: boolean
  expectedId: string | undefined
  chargeInvitation: () => Promise<void>
}

/** @throws ApiError INVALID_EMAIL; ROLE_NOT_FOUND; as `lockMembershipForUpdate`, `assertMayInvite`, `saveInvitation` */
export async function inviteMember(
  context: Context,
  actor: Actor,
  inviter: Caller,
  membership: AuthorizedMembership,
  { email: address, role: roleName, resend, expectedId, chargeInvitation }: InvitationRequest,
): Promise<InvitationRow> {
  const email = parseEmailAddress(address)
  const role = parseOrganizationRole(roleName)
  const { organization } = membership
  assertMayInvite(context, inviter, membership, role)
  const draft = draftInvitation(context, { organization, inviter: inviter.user, email, role })
  const renewal = { resend, expectedId, granterRole: membership.member.role }
  const [likelyId] = await listLikelyIds(context, organization.id, [draft], renewal)
  if (likelyId !== undefined) await chargeInvitation()
  const prepared = likelyId === undefined ? draft : draft.render(likelyId)

  return inTransaction(context, actor, async (unit) => {
    const locked = await lockMembershipForUpdate(unit.transaction, membership)
    assertMayInvite(context, inviter, locked, role)
    return saveInvitation(unit, locked.organization, prepared, { ...renewal, granterRole: locked.member.role })
  })
}

/** @throws ApiError YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE; the errors of `assertFreshMember` */
export function assertMayInvite(
  context: Context,
  inviter: Caller,
  { organization, member }: Membership,
  role: OrganizationRole,
): void {
  if (!mayGrantRole(member.role, role))
    throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE', { field: 'role' })
  if (needsFreshSessionToGrant(role)) assertFreshMember(context, inviter, organization)
}
