import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { getPasswordOwner } from '../../../core/credentials/get-password-owner.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { lockManagedUser } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { passwordSetByStaffEmail } from './set-by-staff-email.ts'

/**
 * Sets somebody's password. Their sessions and open links end, and they are told.
 * @throws ApiError PASSWORD_…; YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD for one's own; the reasons of `lockManagedUser`
 */
export async function setUserPassword(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
  { userId, newPassword }: { userId: string; newPassword: string },
): Promise<void> {
  if (userId === staff.user.id) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD')
  const user = await findUser(context.database, userId)
  if (!user) throw new ApiError('USER_NOT_FOUND', { field: 'userId' })
  const owner = await getPasswordOwner(context.database, user)
  const password = await parseNewPassword(context.config, owner, newPassword, 'newPassword')
  const passwordHash = await context.passwords.hash(password)
  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const target = await lockManagedUser(transaction, context, staff, userId)
    await setPasswordHash(transaction, context, userId, passwordHash)
    await revokeSessionsOfUser(unit, userId)
    await revokeTokens(transaction, userId, ['reset password'])
    const passkeys = await listPasskeysOfUser(transaction, userId)
    const email = passwordSetByStaffEmail(target.email, context.config.baseUrl, passkeys)
    await unit.send(prepareEmail(context, email))
    await unit.record({ action: 'password.set', subjectId: userId })
  })
}
