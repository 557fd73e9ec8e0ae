import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import { emptyLargeClients, hasLargeClient } from '../../../core/client-management/empty-client.ts'
import { GRANTS_PER_TRANSACTION_MAXIMUM, selectGrantsOfMembers } from '../../../core/client-sessions/grant-store.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { deleteInvitations } from '../../../core/invitations/delete-invitations.ts'
import { discardEmailsOfRefusedInvitations } from '../../../core/invitations/pass-invitations.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { deleteMembers, listSomeMembers } from '../../../core/memberships/store.ts'
import { selectOfOrganization } from '../../../core/organizations/large-store.ts'
import { countDependents, type DependentCounts } from '../../../core/organizations/store.ts'
import {
  clearActiveOrganizationOf,
  clearSomeActiveOrganizations,
  selectWithActive,
} from '../../../core/sessions/active-organization.ts'
import { inTimedBatches } from '../../../platform/background/in-batches.ts'
import { hasMoreThan } from '../../../platform/database/has-more-than.ts'
import type { OrganizationRow, Tables } from '../../../platform/database/tables.ts'

/** Small, because SQLite answers no request during a batch. */
const BATCH_SIZE = 500

export async function isLargeOrganization(database: Kysely<Tables>, id: string): Promise<boolean> {
  return (
    (await hasMoreThan(selectWithActive(database, id), BATCH_SIZE)) ||
    (await hasMoreThan(selectOfOrganization(database, 'members', id), BATCH_SIZE)) ||
    (await hasMoreThan(selectOfOrganization(database, 'invitations', id), BATCH_SIZE)) ||
    (await hasMoreThan(selectGrantsOfMembers(database, id), GRANTS_PER_TRANSACTION_MAXIMUM)) ||
    (await hasLargeClient(database, id))
  )
}

/**
 * Deletes rows in batches, because one transaction would take longer than a statement may. The owners stay until the
 * end, so each owner can repeat an interrupted deletion. Each batch authorizes the caller again: the role may change,
 * and the session may be revoked. The exception is an app: it is disabled first, and then all of its rows are deleted.
 */
export async function emptyOrganization(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
): Promise<DependentCounts> {
  const { id } = membership.organization
  const authorized = <Result>(work: (unit: UnitOfWork, organization: OrganizationRow) => Promise<Result>) =>
    inTransaction(context, actor, async (unit) => {
      const { organization } = await lockMembershipForUpdate(unit.transaction, membership)
      return work(unit, organization)
    })
  const inAuthorizedBatches = (
    deleteSome: (transaction: Kysely<Tables>, id: string, limit: number) => Promise<number>,
  ) => inTimedBatches(BATCH_SIZE, (limit) => authorized(({ transaction }) => deleteSome(transaction, id, limit)))

  const counts = await authorized(async ({ transaction, record }, { slug }) => {
    const counts = (await countDependents(transaction, [id]))(id)
    await record({ action: 'organization.deletion-started', organizationId: id, details: { slug, ...counts } })
    return counts
  })
  await inAuthorizedBatches(async (transaction, id, limit) => {
    const count = await clearSomeActiveOrganizations(transaction, id, limit)
    // Members can go on setting the organization active without end. The last transaction clears the rest.
    return count < limit ? 0 : count
  })
  await emptyLargeClients(context, actor, membership)
  await inAuthorizedBatches((transaction, id, limit) => endSomeMemberships(context, transaction, id, limit))
  await inAuthorizedBatches((transaction, id, limit) => deleteInvitations(transaction, context.now(), id, { limit }))
  return counts
}

async function endSomeMemberships(
  { now }: Context,
  transaction: Kysely<Tables>,
  id: string,
  limit: number,
): Promise<number> {
  const members = await listSomeMembers(transaction, id, limit)
  if (members.length === 0) return 0
  const userIds = members.map(({ userId }) => userId)
  // Locks the sessions before the memberships are deleted, because a trigger then deletes the sessions at clients.
  await clearActiveOrganizationOf(transaction, id, userIds)
  await deleteMembers(
    transaction,
    members.map((member) => member.id),
  )
  await discardEmailsOfRefusedInvitations(transaction, now(), userIds, id)
  return members.length
}
