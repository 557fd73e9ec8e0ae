import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { countDependents, deleteOrganizationRows } from '../../../core/organizations/store.ts'
import { lockSessionsOfOrganizations } from '../../../core/sessions/lock-sessions.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'

/**
 * @returns the id of the deleted organization
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export function deleteOrganization(context: Context, actor: Actor, membership: AuthorizedMembership): Promise<string> {
  return inTransaction(context, actor, async (unit) => {
    const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
    await deleteLockedOrganizations(unit, [organization])
    return organization.id
  })
}

/** For a transaction that has locked the organizations and authorized the deletion. */
export async function deleteLockedOrganizations(
  { transaction, recordAll }: UnitOfWork,
  organizations: Pick<OrganizationRow, 'id' | 'slug'>[],
): Promise<void> {
  for (const chunk of chunksOf(organizations)) {
    const ids = chunk.map(({ id }) => id)
    await lockSessionsOfOrganizations(transaction, ids)
    const counts = await countDependents(transaction, ids)
    await deleteOrganizationRows(transaction, ids)
    await recordAll(
      chunk.map(({ id, slug }) => ({
        action: 'organization.deleted',
        organizationId: id,
        details: { slug, ...counts(id) },
      })),
    )
  }
}
