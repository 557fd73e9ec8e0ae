import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { deleteEndedInvitations } from '../../account/deletion/delete-ended-invitations.ts'
import { deleteUser } from '../../account/deletion/delete-user.ts'
import { type KeysOfLeaver, readKeysOfLeaver, revokeKeysOfLeaver } from '../../organizations/api-keys/keys-of-leaver.ts'
import { userDeletedByStaffEmail } from './emails.ts'

/** @throws ApiError YOU_CANNOT_REMOVE_YOURSELF; the errors of `lockManagedUser` and `deleteUser` */
export async function removeUser(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { userId, revokeApiKeys }: { userId: string; revokeApiKeys: boolean },
): Promise<KeysOfLeaver> {
  if (userId === staff.user.id) throw new ApiError('YOU_CANNOT_REMOVE_YOURSELF', { field: 'userId' })
  const email = prepareEmail(context, userDeletedByStaffEmail(''))
  await deleteEndedInvitations(context, actor, userId, (transaction) =>
    lockManagedUser(transaction, context, staff, userId),
  )
  return inTransaction(context, actor, async (unit) => {
    const target = await lockManagedUser(unit.transaction, context, staff, userId)
    await deleteUser(unit, target, email)
    // Runs after deleteUser: the API keys of organizations that are deleted with the user must not be reported.
    return revokeApiKeys ? revokeKeysOfLeaver(unit, { userId }) : readKeysOfLeaver(unit, { userId })
  })
}
