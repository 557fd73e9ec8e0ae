import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { updateProfile } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * Changes what a user may change of themselves at will.
 * @throws ApiError VALIDATION_ERROR when nothing is to be changed; UNAUTHORIZED when the user is gone
 */
export function updateUser(
  context: Context,
  actor: Actor,
  userId: string,
  change: { name?: string; image?: string | null },
): Promise<UserRow> {
  if (Object.keys(change).length === 0)
    throw new ApiError('VALIDATION_ERROR', { message: 'Name a field to change: name or image.' })
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const user = await updateProfile(transaction, userId, { ...change, updatedAt: context.now() })
    if (!user) throw new ApiError('UNAUTHORIZED')
    await unit.record({
      action: 'user.updated',
      subjectId: userId,
      details: { fields: Object.keys(change).join(', ') },
    })
    return user
  })
}
