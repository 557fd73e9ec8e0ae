import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { leaveEveryOrganization } from '../members/leave-every-organization.ts'
import { assertNotLastAdmin, lockTarget } from './lock-target.ts'
import { deleteUser } from './store.ts'

/**
 * Deletes somebody, with their sessions, ways to sign in, memberships and open links. It can't be undone.
 * @throws ApiError YOU_CANNOT_REMOVE_YOURSELF; LAST_ADMIN; ONLY_OWNER_OF_AN_ORGANIZATION; the reasons of `lockTarget`
 */
export async function removeUser(context: Context, actor: Actor, caller: Caller, userId: string): Promise<void> {
  if (userId === caller.user.id) throw new ApiError('YOU_CANNOT_REMOVE_YOURSELF', { field: 'userId' })
  await context.database.transaction().execute(async (transaction) => {
    const target = await lockTarget(transaction, context, caller, 'user.delete', userId)
    await assertNotLastAdmin(transaction, context, target)
    await leaveEveryOrganization(transaction, context, actor, userId)
    await deleteUser(transaction, userId)
    await recordEvent(transaction, context, actor, { action: 'user.removed', subjectId: userId })
  })
}
