import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { lockLeaving } from '../staff/lock-target.ts'
import { isBanned } from '../users/banned.ts'
import { deleteUser } from './delete-user.ts'

/**
 * Deletes the caller.
 * @throws ApiError UNAUTHORIZED where they are deleted or banned by now: deleting must not evade a ban; as `lockLeaving`
 *   and `deleteUser`
 */
export async function deleteOwnUser(context: Context, actor: Actor, caller: Caller): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    const user = await lockLeaving(transaction, context, caller.user.id)
    if (!user || isBanned(user, context.now())) throw new ApiError('UNAUTHORIZED')
    await deleteUser(transaction, context, actor, user)
  })
}
