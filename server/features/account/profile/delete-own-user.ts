import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForDeletion } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteUser } from './delete-user.ts'

/**
 * Deletes the caller.
 * @throws ApiError UNAUTHORIZED where they are deleted or banned by now: deleting must not evade a ban; as `lockUserForDeletion`
 *   and `deleteUser`
 */
export async function deleteOwnUser(context: Context, actor: Actor, caller: Caller): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const user = await lockUserForDeletion(transaction, context, caller.user.id)
    if (!user || isBanned(user, context.now())) throw new ApiError('UNAUTHORIZED')
    await deleteUser(unit, user)
  })
}
