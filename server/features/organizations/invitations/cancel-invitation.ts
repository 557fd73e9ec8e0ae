import type { AuthorizedMembership } from '../../../core/access/access.ts'
import { mayGrantRole } from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { closeInvitation } from '../../../core/invitations/close-invitation.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; INVITATION_ALREADY_USED */
export async function cancelInvitation(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  invitationId: string,
): Promise<InvitationRow> {
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    const canceled = await closeInvitation(transaction, context.now(), invitationId, 'canceled')
    if (!mayGrantRole(member.role, canceled.role))
      throw new ApiError('FORBIDDEN', { message: 'Only an owner may cancel the invitation of an owner.' })
    await record({ action: 'invitation.canceled', subjectId: invitationId, organizationId: organization.id })
    return canceled
  })
}
