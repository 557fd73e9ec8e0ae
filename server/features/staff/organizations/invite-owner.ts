import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { completeCancellations } from '../../../core/invitations/close-invitation.ts'
import { cancelOwnerInvitations } from '../../../core/invitations/store.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'
import { countOwners } from '../../../core/memberships/owner-store.ts'
import { lockStaffForShare } from '../../../core/users/lock-managed-user.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { saveInvitation } from '../../organizations/invitations/save-invitations.ts'
import { OWNER_INVITATION, prepareOwnerInvitation } from './create-organization-for-owner.ts'
import { organizationNotFound, requireOrganization } from './get-organization.ts'

/**
 * Owners who are banned do not count. Cancels other invitations of owners, such as one to a wrong address.
 * @throws ApiError INVALID_EMAIL; ORGANIZATION_NOT_FOUND; ORGANIZATION_HAS_OWNER; TOO_MANY_REQUESTS; as
 *   `lockStaffForShare`
 */
export async function inviteOwner(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { organizationId, ownerEmail }: { organizationId: string; ownerEmail: string },
): Promise<InvitationRow> {
  const expected = await requireOrganization(context.database, { id: organizationId })
  const prepared = prepareOwnerInvitation(context, expected, staff.user, ownerEmail)
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    await lockStaffForShare(transaction, context, staff)
    const organization = await lockOrganizationForUpdate(transaction, organizationId)
    if (!organization) throw organizationNotFound()
    if ((await countOwners(transaction, organizationId, context.now())) > 0)
      throw new ApiError('ORGANIZATION_HAS_OWNER')
    await completeCancellations(unit, await cancelOwnerInvitations(transaction, organizationId))
    return saveInvitation(unit, organization, prepared, { resend: true, ...OWNER_INVITATION })
  })
}
