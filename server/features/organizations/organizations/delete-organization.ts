import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { countDependents, deleteOrganizationRow } from '../../../core/organizations/store.ts'
import { lockSessionsOfOrganization } from '../../../core/sessions/lock-sessions.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'

/**
 * @returns the id of the deleted organization
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export function deleteOrganization(context: Context, actor: Actor, membership: AuthorizedMembership): Promise<string> {
  return inTransaction(context, actor, async (unit) => {
    const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
    await deleteLockedOrganization(unit, organization)
    return organization.id
  })
}

/** For a transaction that has locked the organization and authorized the deletion. */
export async function deleteLockedOrganization(
  { transaction, record }: UnitOfWork,
  { id, slug }: Pick<OrganizationRow, 'id' | 'slug'>,
): Promise<void> {
  await lockSessionsOfOrganization(transaction, id)
  const counts = await countDependents(transaction, id)
  await deleteOrganizationRow(transaction, id)
  await record({ action: 'organization.deleted', organizationId: id, details: { slug, ...counts } })
}
