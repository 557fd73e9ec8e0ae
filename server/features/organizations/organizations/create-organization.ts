import type { Caller } from '../../../core/access/caller.ts'
import { isStaff } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { addMember } from '../../../core/memberships/add-member.ts'
import { countOwnedOrganizations, insertOrganization } from '../../../core/organizations/store.ts'
import { updateSessionRow } from '../../../core/sessions/store.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import type { MemberRow, OrganizationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { parseOrganizationMetadata } from './metadata.ts'

interface NewOrganization {
  name: string
  slug: string
  logo: string | null
  metadata: Record<string, unknown> | string | null
  keepCurrentActiveOrganization: boolean
}

/**
 * @throws ApiError UNAUTHORIZED when the user was deleted or banned; EMAIL_NOT_VERIFIED;
 *   ORGANIZATION_SLUG_ALREADY_TAKEN; YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION;
 *   YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS
 */
export async function createOrganization(
  context: Context,
  actor: Actor,
  caller: Caller,
  input: NewOrganization,
): Promise<{ organization: OrganizationRow; owner: MemberRow }> {
  const { config, now } = context
  const { name, slug, logo, metadata, keepCurrentActiveOrganization } = input
  const row = {
    id: newId('org', context),
    name,
    slug,
    logo,
    metadata: parseOrganizationMetadata(metadata, 'metadata'),
    createdAt: now(),
    requireTwoFactor: 0,
  }

  return inTransaction(context, actor, async ({ transaction, record }) => {
    // The lock for update makes concurrent creations of one user wait for each other, so the count is exact.
    const user = await lockUserForUpdate(transaction, caller.user.id)
    if (!user || isBanned(user, now())) throw new ApiError('UNAUTHORIZED')
    if (user.emailVerified === 0) throw new ApiError('EMAIL_NOT_VERIFIED')
    if (config.organizationCreation === 'staff' && !isStaff(user))
      throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION')
    if ((await countOwnedOrganizations(transaction, caller.user.id)) >= config.organizationsPerUser)
      throw new ApiError('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS')
    const organization = await insertOrganization(transaction, row)
    if (!organization) throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug' })
    const membership = { organizationId: row.id, userId: caller.user.id, role: 'owner' } as const
    const owner = await addMember(transaction, context, membership)
    if (!keepCurrentActiveOrganization)
      await updateSessionRow(transaction, caller.session.id, { activeOrganizationId: row.id })
    await record({ action: 'organization.created', organizationId: row.id, details: { slug } })
    return { organization, owner }
  })
}
