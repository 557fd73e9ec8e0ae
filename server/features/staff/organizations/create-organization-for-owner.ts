import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { insertOrganization } from '../../../core/organizations/store.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockStaffForShare } from '../../../core/users/lock-managed-user.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import type { InvitationRow, OrganizationRow, UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { type PreparedInvitation, prepareInvitation } from '../../organizations/invitations/prepare-invitation.ts'
import { saveInvitation } from '../../organizations/invitations/save-invitations.ts'
import { parseOrganizationMetadata } from '../../organizations/organizations/metadata.ts'

export const OWNER_INVITATION = { granterRole: 'owner', emailField: 'ownerEmail' } as const

interface OrganizationForOwner {
  name: string
  slug: string
  ownerEmail: string
  metadata: Record<string, unknown> | string | null
}

/**
 * Staff never become members.
 * @throws ApiError INVALID_EMAIL; VALIDATION_ERROR; ORGANIZATION_SLUG_ALREADY_TAKEN; TOO_MANY_REQUESTS; as
 *   `lockStaffForShare`
 */
export async function createOrganizationForOwner(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { name, slug, ownerEmail, metadata }: OrganizationForOwner,
): Promise<{ organization: OrganizationRow; invitation: InvitationRow }> {
  const row: OrganizationRow = {
    id: newId('org', context),
    name,
    slug,
    logo: null,
    metadata: parseOrganizationMetadata(metadata, 'metadata'),
    createdAt: context.now(),
    requireTwoFactor: 0,
  }
  const prepared = prepareOwnerInvitation(context, row, staff.user, ownerEmail)
  return inTransaction(context, actor, async (unit) => {
    await lockStaffForShare(unit.transaction, context, staff)
    const organization = await insertOrganization(unit.transaction, row)
    if (!organization) throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug' })
    await unit.record({ action: 'organization.created', organizationId: row.id, details: { slug } })
    return {
      organization,
      invitation: await saveInvitation(unit, organization, prepared, { resend: false, ...OWNER_INVITATION }),
    }
  })
}

/** @throws ApiError INVALID_EMAIL */
export function prepareOwnerInvitation(
  context: Context,
  organization: OrganizationRow,
  inviter: UserRow,
  ownerEmail: string,
): PreparedInvitation {
  const email = parseEmailAddress(ownerEmail, OWNER_INVITATION.emailField)
  return prepareInvitation(context, { organization, inviter, email, role: 'owner' })
}
