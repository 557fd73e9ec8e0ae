import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForDeletion } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteEndedInvitations } from './delete-ended-invitations.ts'
import { deleteUser, prepareUserDeletedEmail } from './delete-user.ts'
import { lockOrganizationsOfUserForUpdate } from './store.ts'

/**
 * A deletion must not evade a ban, so the transaction checks the user and the session again.
 * @param expectedIds of the organizations that the caller knows to be deleted; undefined allows any
 * @throws ApiError UNAUTHORIZED; as `lockUserForDeletion` and `deleteUser`
 */
export async function deleteOwnUser(
  context: Context,
  actor: Actor,
  caller: Caller,
  expectedIds: string[] | undefined,
): Promise<void> {
  const email = prepareUserDeletedEmail(context, actor)
  const { id: userId } = caller.user
  await deleteEndedInvitations(context, actor, userId, (transaction) =>
    lockUserForDeletion(transaction, context, userId),
  )
  await inTransaction(context, actor, async (unit) => {
    const user = await lockUserForDeletion(unit.transaction, context, userId)
    if (!user || isBanned(user, context.now())) throw new ApiError('UNAUTHORIZED')
    // Verifying a password is slow: a session that is revoked in that time must delete nothing.
    await lockOrganizationsOfUserForUpdate(unit.transaction, user.id)
    const tokenHashes = await lockSessionsOfUserForUpdate(unit.transaction, user.id)
    if (!tokenHashes.has(caller.session.tokenHash)) throw new ApiError('UNAUTHORIZED')
    await deleteUser(unit, user, email, expectedIds)
  })
}
