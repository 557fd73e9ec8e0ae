import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { countParts, deleteOrganizationRow } from '../../../core/organizations/store.ts'
import { lockSessionsOfOrganization } from '../../../core/sessions/lock-sessions.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'

/**
 * Deletes an organization with its members, invitations and keys. The people stay.
 * @returns its id
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export function deleteOrganization(context: Context, actor: Actor, membership: AuthorizedMembership): Promise<string> {
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization } = await lockMembershipForUpdate(transaction, membership)
    await deleteLockedOrganization(unit, organization)
    return organization.id
  })
}

/** The same within the caller's transaction, which has locked the organization and knows that it may go. */
export async function deleteLockedOrganization(
  unit: UnitOfWork,
  { id, slug }: Pick<OrganizationRow, 'id' | 'slug'>,
): Promise<void> {
  const { transaction } = unit
  await lockSessionsOfOrganization(transaction, id)
  const counts = await countParts(transaction, id)
  await deleteOrganizationRow(transaction, id)
  const event = { action: 'organization.deleted', organizationId: id, details: { slug, ...counts } } as const
  await unit.record(event)
}
