import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { deleteInvitations } from '../../../core/invitations/delete-invitations.ts'
import { countOpenInvitationsOf } from '../../../core/invitations/store.ts'
import { countDependents, type DependentCounts } from '../../../core/organizations/store.ts'
import { inTimedBatches } from '../../../platform/background/in-batches.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { classifyMemberships } from './classify-memberships.ts'
import { type EndingMembership, listEndingMemberships, lockOrganizationsOfUserForUpdate } from './store.ts'

/** Small, because SQLite answers no request during a batch. */
const BATCH_SIZE = 500

interface InvitingOrganization {
  id: string
  slug: string
  counts: DependentCounts
  endedCount: number
}

/**
 * Runs before the deletion of a user. Ended invitations grant nothing, so a deletion that is refused later loses their
 * history only. A new member stops the batches of an organization, because it may not be deleted then.
 * @param authorize throws if the user can't be deleted, or the caller may not; runs in each transaction
 */
export async function deleteEndedInvitations(
  context: Context,
  actor: Actor,
  userId: string,
  authorize: (transaction: Kysely<Tables>) => Promise<unknown>,
): Promise<void> {
  const { blocking, deleted } = classifyMemberships(
    await listEndingMemberships(context.database, userId, context.now()),
  )
  if (blocking.length > 0) return
  const inviting = await listInvitingOrganizations(context, deleted)
  if (inviting.reduce((total, { endedCount }) => total + endedCount, 0) <= BATCH_SIZE) return

  const authorized = <Result>(
    organizations: InvitingOrganization[],
    work: (unit: UnitOfWork, organizations: InvitingOrganization[]) => Promise<Result>,
  ) =>
    inTransaction(context, actor, async (unit) => {
      await authorize(unit.transaction)
      const ids = organizations.map(({ id }) => id)
      const deletedIds = await lockDeletedOrganizations(unit, userId, ids)
      return work(
        unit,
        organizations.filter(({ id }) => deletedIds.has(id)),
      )
    })
  for (const chunk of chunksOf(inviting))
    await authorized(chunk, ({ recordAll }, organizations) => recordAll(organizations.map(toDeletionStarted)))
  for (const organization of inviting)
    await inTimedBatches(BATCH_SIZE, (limit) =>
      authorized([organization], async ({ transaction }, [stillDeleted]) => {
        if (!stillDeleted) return 0
        const options = { limit, onlyEnded: true }
        const count = await deleteInvitations(transaction, context.now(), stillDeleted.id, options)
        return count < limit ? 0 : count
      }),
    )
}

async function listInvitingOrganizations(
  { database, now }: Context,
  organizations: EndingMembership[],
): Promise<InvitingOrganization[]> {
  const inviting: InvitingOrganization[] = []
  for (const chunk of chunksOf(organizations)) {
    const ids = chunk.map(({ id }) => id)
    const countsOf = await countDependents(database, ids)
    const openCounts = await countOpenInvitationsOf(database, ids, now())
    for (const { id, slug } of chunk) {
      const counts = countsOf(id)
      const endedCount = counts.invitationCount - (openCounts.get(id) ?? 0)
      if (endedCount > 0) inviting.push({ id, slug, counts, endedCount })
    }
  }
  return inviting
}

function toDeletionStarted({ id, slug, counts }: InvitingOrganization) {
  return { action: 'organization.deletion-started', organizationId: id, details: { slug, ...counts } } as const
}

async function lockDeletedOrganizations(
  { transaction, context }: UnitOfWork,
  userId: string,
  ids: string[],
): Promise<Set<string>> {
  await lockOrganizationsOfUserForUpdate(transaction, userId, ids)
  const memberships = await listEndingMemberships(transaction, userId, context.now(), ids)
  return new Set(classifyMemberships(memberships).deleted.map(({ id }) => id))
}
