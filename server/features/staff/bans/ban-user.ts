import type { AuthorizedStaff } from '../../../core/access/access.ts'
import { assertFreshSession } from '../../../core/access/freshness.ts'
import { isStaff } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { isBanned, NOT_BANNED } from '../../../core/users/banned.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { updateLockedUser } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

interface Ban {
  userId: string
  banReason?: string
  /** Seconds. By default, the ban does not expire. */
  banExpiresIn?: number
  /** False: the staff member has read that the user is not banned. Undefined: the new ban replaces another one. */
  expectedBanned?: false
}

/** @throws ApiError YOU_CANNOT_BAN_YOURSELF; USER_ALREADY_BANNED; the errors of `lockManagedUser` */
export async function banUser(context: Context, actor: Actor, staff: AuthorizedStaff, ban: Ban): Promise<UserRow> {
  const { userId, banReason = null, banExpiresIn, expectedBanned } = ban
  if (userId === staff.user.id) throw new ApiError('YOU_CANNOT_BAN_YOURSELF', { field: 'userId' })
  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const target = await lockManagedUser(transaction, context, staff, userId)
    const now = context.now()
    if (expectedBanned === false && isBanned(target, now))
      throw new ApiError('USER_ALREADY_BANNED', { field: 'expectedBanned' })
    const banExpires = banExpiresIn === undefined ? null : now + banExpiresIn * 1000
    const banned = await updateLockedUser(transaction, userId, { banned: 1, banReason, banExpires, updatedAt: now })
    await revokeSessionsOfUser(unit, userId)
    await record({ action: 'user.banned', subjectId: userId, details: { reason: banReason, expiresAt: banExpires } })
    return banned
  })
}

/** @throws ApiError YOU_CANNOT_BAN_YOURSELF; SESSION_NOT_FRESH; the errors of `lockManagedUser` */
export async function unbanUser(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  userId: string,
): Promise<UserRow> {
  if (userId === staff.user.id) throw new ApiError('YOU_CANNOT_BAN_YOURSELF', { field: 'userId' })
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const target = await lockManagedUser(transaction, context, staff, userId)
    if (target.banned === 0) return target
    // Staff get their permissions back.
    if (isStaff(target)) assertFreshSession(context, staff)
    await record({ action: 'user.unbanned', subjectId: userId })
    return updateLockedUser(transaction, userId, { ...NOT_BANNED, updatedAt: context.now() })
  })
}
