import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { updateProfile } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError VALIDATION_ERROR without a field; UNAUTHORIZED when the user is deleted */
export function updateOwnUser(
  context: Context,
  actor: Actor,
  userId: string,
  change: { name?: string; image?: string | null },
): Promise<UserRow> {
  if (Object.keys(change).length === 0)
    throw new ApiError('VALIDATION_ERROR', { message: 'Name a field to change: name or image.' })
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const user = await updateProfile(transaction, userId, { ...change, updatedAt: context.now() })
    if (!user) throw new ApiError('UNAUTHORIZED')
    const details = { fields: Object.keys(change).join(', ') }
    await record({ action: 'user.updated', subjectId: userId, details })
    return user
  })
}
