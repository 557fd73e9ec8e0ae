import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { asUser, inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { consumeToken, findTokenUserId } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockUserForDeletion } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteUser, prepareUserDeletedEmail } from './delete-user.ts'
import { lockOrganizationsOfUserForUpdate } from './store.ts'

export interface DeletionByLink {
  /** The deleted user. */
  userId: string
  /** As in the request for the link. */
  callbackUrl: string | undefined
}

/**
 * Deletes the user of the token, also when another user is signed in (CVE-2023-26481).
 * @throws ApiError INVALID_TOKEN; as `lockUserForDeletion` and `deleteUser`, after which the token is still usable
 */
export async function deleteByLink(context: Context, actor: Actor, token: string): Promise<DeletionByLink> {
  const email = prepareUserDeletedEmail(context, actor)
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const userId = await findTokenUserId(transaction, token)
    const user = userId && (await lockUserForDeletion(transaction, context, userId))
    if (!user) throw new ApiError('INVALID_TOKEN', { field: 'token' })
    // Revoking a session locks the session, then its tokens. The other order here could deadlock.
    await lockOrganizationsOfUserForUpdate(transaction, user.id)
    await lockSessionsOfUserForUpdate(transaction, user.id)
    const consumed = await consumeToken(transaction, context.now(), 'delete user', token)
    if (!consumed) throw new ApiError('INVALID_TOKEN', { field: 'token' })
    await deleteUser(asUser(unit, user.id), user, email)
    return { userId: user.id, callbackUrl: consumed.data.callbackUrl }
  })
}
