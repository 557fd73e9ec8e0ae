import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { countDependents, deleteOrganizationRows } from '../../../core/organizations/store.ts'
import { clearSomeActiveOrganizations, isActiveInMoreThan } from '../../../core/sessions/active-organization.ts'
import { lockSessionsOfOrganizations } from '../../../core/sessions/lock-sessions.ts'
import { inTimedBatches } from '../../../platform/background/in-batches.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'

/** Small, because SQLite answers no request meanwhile. */
const BATCH_SIZE = 500

/**
 * Clears it as the active organization of many sessions in batches first, because one transaction would take longer than a
 * statement may.
 * @returns the id of the deleted organization
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export async function deleteOrganization(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
): Promise<string> {
  const { id } = membership.organization
  if (await isActiveInMoreThan(context.database, id, BATCH_SIZE)) await clearAsActive(context, actor, membership)
  await inTransaction(context, actor, async (unit) => {
    const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
    await deleteLockedOrganizations(unit, [organization])
  })
  return id
}

async function clearAsActive(context: Context, actor: Actor, membership: AuthorizedMembership): Promise<void> {
  const { id: organizationId } = membership.organization
  await inTransaction(context, actor, async ({ transaction, record }) => {
    await lockMembershipForUpdate(transaction, membership)
    const details = { activeOrganizationId: null, reason: 'deletion of the organization' }
    await record({ action: 'session.updated', organizationId, details })
  })
  await inTimedBatches(() => clearSomeActiveOrganizations(context.database, organizationId, BATCH_SIZE))
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
