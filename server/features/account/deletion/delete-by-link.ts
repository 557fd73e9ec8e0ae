import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { asUser, inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { consumeToken, findUsableToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockUserForDeletion } from '../../../core/users/lock-managed-user.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteEndedInvitations } from './delete-ended-invitations.ts'
import { deleteUser, prepareUserDeletedEmail } from './delete-user.ts'
import { lockOrganizationsOfUserForUpdate } from './store.ts'

export interface DeletionByLink {
  userId: string
  callbackUrl: string | undefined
}

/**
 * Deletes the user of the token, also when another user is signed in (CVE-2023-26481).
 * @throws ApiError INVALID_TOKEN; as `lockUserForDeletion` and `deleteUser`, after which the token is still usable
 */
export async function deleteByLink(context: Context, actor: Actor, token: string): Promise<DeletionByLink> {
  const email = prepareUserDeletedEmail(context, actor)
  const userId = await requireUserId(context, context.database, token)
  await deleteEndedInvitations(context, { ...actor, actorId: userId }, userId, async (transaction) => {
    await lockUserForDeletion(transaction, context, userId)
    await requireUserId(context, transaction, token)
  })
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const user = await lockUserForDeletion(transaction, context, userId)
    if (!user) throw invalidToken()
    // Revoking a session locks the session, then its tokens. The other order here could deadlock.
    await lockOrganizationsOfUserForUpdate(transaction, userId)
    await lockSessionsOfUserForUpdate(transaction, userId)
    const consumed = await consumeToken(transaction, context.now(), 'delete user', token)
    if (!consumed) throw invalidToken()
    await deleteUser(asUser(unit, userId), user, email)
    return { userId, callbackUrl: consumed.data.callbackUrl }
  })
}

async function requireUserId({ now }: Context, database: Kysely<Tables>, token: string): Promise<string> {
  const usable = await findUsableToken(database, now(), 'delete user', token)
  if (!usable?.userId) throw invalidToken()
  return usable.userId
}

function invalidToken(): ApiError {
  return new ApiError('INVALID_TOKEN', { field: 'token' })
}
