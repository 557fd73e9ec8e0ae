import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { deleteSomeInvitations } from '../../../core/invitations/store.ts'
import { countDependents } from '../../../core/organizations/store.ts'
import { inTimedBatches } from '../../../platform/background/in-batches.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { classifyMemberships } from './classify-memberships.ts'
import { listCountedMemberships } from './store.ts'

/** Small, because SQLite answers no request during a batch. */
const BATCH_SIZE = 500

/**
 * Prepares the deletion of a user. If the organizations that are deleted too have many invitations, deletes those that
 * have ended, in batches. They grant nothing, so a deletion that is refused later loses their history only.
 * @param authorize throws if the deletion is refused; runs in each transaction
 */
export async function deleteEndedInvitations(
  context: Context,
  actor: Actor,
  userId: string,
  authorize: (transaction: Kysely<Tables>) => Promise<unknown>,
): Promise<void> {
  const { database, now } = context
  const authorized = <Result>(work: (unit: UnitOfWork) => Promise<Result>) =>
    inTransaction(context, actor, async (unit) => {
      await authorize(unit.transaction)
      return work(unit)
    })
  const { blocking, deleted } = classifyMemberships(await listCountedMemberships(database, userId, now()))
  if (blocking.length > 0) return
  for (const organizations of chunksOf(deleted)) {
    const ids = organizations.map(({ id }) => id)
    const counts = await countDependents(database, ids)
    if (ids.reduce((total, id) => total + counts(id).invitationCount, 0) <= BATCH_SIZE) continue
    const inviting = organizations.filter(({ id }) => counts(id).invitationCount > 0)
    await authorized(({ recordAll }) =>
      recordAll(
        inviting.map(({ id, slug }) => ({
          action: 'organization.deletion-started',
          organizationId: id,
          details: { slug, ...counts(id) },
        })),
      ),
    )
    for (const { id } of inviting)
      await inTimedBatches(BATCH_SIZE, (limit) =>
        authorized(async ({ transaction }) => {
          const { length } = await deleteSomeInvitations(transaction, id, limit, now())
          return length < limit ? 0 : length
        }),
      )
  }
}
