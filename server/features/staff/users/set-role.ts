import type { AuthorizedStaff } from '../../../core/access/access.ts'
import { isStaff, parseServiceRole } from '../../../core/access/staff-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { discardEmailsOfRefusedInvitations } from '../../../core/invitations/pass-invitations.ts'
import { revokeImpersonationsOf } from '../../../core/sessions/revoke-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { updateLockedUser } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/**
 * Revokes every impersonation by or of this user, because the new role may forbid it.
 * @throws ApiError YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE; YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE; the errors
 *   of `lockManagedUser`
 */
export async function setRole(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { userId, role: text }: { userId: string; role: string },
): Promise<UserRow> {
  const role = parseServiceRole(text)
  if (userId === staff.user.id) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE', { field: 'userId' })
  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const target = await lockManagedUser(transaction, context, staff, userId)
    if (target.role === role) return target
    await revokeImpersonationsOf(unit, userId)
    // The former mailbox could undo the change of the email address, and would get the role.
    if (isStaff({ role })) await revokeTokens(transaction, userId, ['undo email change'])
    await record({ action: 'user.role-set', subjectId: userId, details: { role, before: target.role } })
    const updated = await updateLockedUser(transaction, userId, { role, updatedAt: context.now() })
    await discardEmailsOfRefusedInvitations(transaction, context.now(), [userId])
    return updated
  })
}
