import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { assertFreshMember } from '../../../core/access/fresh-member.ts'
import { assertOrganizationPermission } from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { updateOrganizationRow } from '../../../core/organizations/store.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { parseOrganizationMetadata } from './metadata.ts'

interface OrganizationUpdate {
  name?: string
  slug?: string
  logo?: string | null
  /** Replaces all of the former metadata. */
  metadata?: Record<string, unknown> | string | null
  requireTwoFactor?: boolean
  /** The stored metadata that the caller has read. Undefined: the caller replaces any metadata. */
  expectedMetadata: string | null | undefined
}

/**
 * @throws ApiError VALIDATION_ERROR for metadata; METADATA_CHANGED; ORGANIZATION_NOT_FOUND; FORBIDDEN;
 *   ORGANIZATION_SLUG_ALREADY_TAKEN; the errors of `assertFreshMember` when the second step is no longer required
 */
export async function updateOrganization(
  context: Context,
  actor: Actor,
  caller: Caller,
  membership: AuthorizedMembership,
  { metadata, requireTwoFactor, expectedMetadata, ...update }: OrganizationUpdate,
): Promise<OrganizationRow> {
  const change = {
    ...update,
    ...(metadata !== undefined && { metadata: parseOrganizationMetadata(metadata, 'data.metadata') }),
    ...(requireTwoFactor !== undefined && { requireTwoFactor: requireTwoFactor ? 1 : 0 }),
  }
  try {
    return await inTransaction(context, actor, async ({ transaction, record }) => {
      const { organization, member } = await lockMembershipForUpdate(transaction, membership)
      if (requireTwoFactor !== undefined) assertOrganizationPermission(member.role, 'organization.require-two-factor')
      if (requireTwoFactor === false && organization.requireTwoFactor === 1)
        assertFreshMember(context, caller, organization)
      // A repeated request, whose first response was lost, finds its own metadata.
      const isExpected = [expectedMetadata, change.metadata].includes(organization.metadata)
      if (expectedMetadata !== undefined && !isExpected) throw new ApiError('METADATA_CHANGED')
      if (Object.keys(change).length === 0) return organization
      const changed = await updateOrganizationRow(transaction, organization.id, change)
      await record({
        action: 'organization.updated',
        organizationId: organization.id,
        details: {
          fields: Object.keys(change).join(', '),
          slug: changed.slug,
          ...(changed.slug !== organization.slug && { formerSlug: organization.slug }),
          ...(requireTwoFactor !== undefined && { requireTwoFactor }),
        },
      })
      return changed
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug', cause: error })
    throw error
  }
}
