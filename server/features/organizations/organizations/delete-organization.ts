import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import { emptyLargeClients, hasLargeClient } from '../../../core/client-management/empty-client.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { deleteSomeRows, hasMoreRows } from '../../../core/organizations/large-store.ts'
import { countDependents, type DependentCounts, deleteOrganizationRows } from '../../../core/organizations/store.ts'
import { clearSomeActiveOrganizations, isActiveInMoreThan } from '../../../core/sessions/active-organization.ts'
import { lockSessionsOfOrganizations } from '../../../core/sessions/lock-sessions.ts'
import { inTimedBatches } from '../../../platform/background/in-batches.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRow } from '../../../platform/database/tables.ts'

/** Small, because SQLite answers no request meanwhile. */
const BATCH_SIZE = 500

/**
 * Deletes the rows of a large organization in batches first, because one transaction would take longer than a statement may.
 * @returns the id of the deleted organization
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN
 */
export async function deleteOrganization(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
): Promise<string> {
  const { id } = membership.organization
  const counts = (await isLarge(context, id)) ? await emptyOrganization(context, actor, membership) : undefined
  await inTransaction(context, actor, async (unit) => {
    const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
    await deleteLockedOrganizations(unit, [organization], counts)
  })
  return id
}

async function isLarge({ database }: Context, id: string): Promise<boolean> {
  return (
    (await isActiveInMoreThan(database, id, BATCH_SIZE)) ||
    (await hasMoreRows(database, 'members', id, BATCH_SIZE)) ||
    (await hasMoreRows(database, 'invitations', id, BATCH_SIZE)) ||
    (await hasLargeClient(database, id))
  )
}

/** The caller remains the owner until the end, who can repeat an interrupted deletion. @returns the counts before it */
async function emptyOrganization(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
): Promise<DependentCounts> {
  const { database } = context
  const { id } = membership.organization
  const { counts, exceptId } = await inTransaction(context, actor, async ({ transaction, record }) => {
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    const counts = (await countDependents(transaction, [id]))(id)
    const details = { slug: organization.slug, ...counts }
    await record({ action: 'organization.deletion-started', organizationId: id, details })
    return { counts, exceptId: member.id }
  })
  const batch = { exceptId, limit: BATCH_SIZE }
  await inTimedBatches(() => clearSomeActiveOrganizations(database, id, BATCH_SIZE))
  await emptyLargeClients(context, actor, membership)
  await inTimedBatches(() => deleteSomeRows(database, 'members', id, batch))
  await inTimedBatches(() => deleteSomeRows(database, 'invitations', id, batch))
  return counts
}

/**
 * For a transaction that has locked the organizations and authorized the deletion.
 * @param countsBefore of one organization, whose rows were deleted in batches
 */
export async function deleteLockedOrganizations(
  { transaction, recordAll }: UnitOfWork,
  organizations: Pick<OrganizationRow, 'id' | 'slug'>[],
  countsBefore?: DependentCounts,
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
        details: { slug, ...(countsBefore ?? counts(id)) },
      })),
    )
  }
}
