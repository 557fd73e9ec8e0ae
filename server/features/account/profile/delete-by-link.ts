import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { asUser, inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionsOf } from '../../../core/sessions/lock-sessions.ts'
import { consumeToken, findTokenUserId } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockUserForDeletion } from '../../../core/users/lock-managed-user.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteUser } from './delete-user.ts'
import { lockOrganizationsOf } from './store.ts'

/**
 * Deletes the user that a mailed link was made for, whoever is signed in where it is used (CVE-2023-26481).
 * @throws ApiError INVALID_TOKEN; as `lockUserForDeletion` and `deleteUser`, which leaves the link good
 */
export async function deleteByLink(context: Context, actor: Actor, token: string): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const ownerId = await findTokenUserId(transaction, token)
    const user = ownerId && (await lockUserForDeletion(transaction, context, ownerId))
    if (user) await lockBeforeToken(transaction, user.id)
    if (!user || !(await consumeToken(transaction, context.now(), 'delete user', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    await deleteUser(asUser(unit, user.id), user)
  })
}

/** Revoking a session locks the session, then its tokens: a token that is locked first would be a deadlock. */
async function lockBeforeToken(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await lockOrganizationsOf(transaction, userId)
  await lockSessionsOf(transaction, userId)
}
