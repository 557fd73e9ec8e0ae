import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { passwordSetByStaffLetter } from '../mail/letters/set-by-staff.ts'
import { enqueueLetter } from '../mail/outbox.ts'
import { findPasskeys } from '../passkeys/find-passkeys.ts'
import { findPasswordOwner } from '../passwords/find-password-owner.ts'
import { parseNewPassword } from '../passwords/parse-password.ts'
import { setPasswordHash } from '../passwords/set-password-hash.ts'
import { revokeTokens } from '../secrets/single-use-tokens.ts'
import { endSessionsOfUser } from '../sessions/end-session.ts'
import { findUser } from '../users/find-user.ts'
import { lockTarget } from './lock-target.ts'

/**
 * Sets somebody's password. Their sessions and open links end, and they are told.
 * @throws ApiError PASSWORD_…; YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD for one's own; the reasons of `lockTarget`
 */
export async function setUserPassword(
  context: Context,
  actor: Actor,
  caller: Caller,
  { userId, newPassword }: { userId: string; newPassword: string },
): Promise<void> {
  if (userId === caller.user.id) throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD')
  const user = await findUser(context.database, userId)
  if (!user) throw new ApiError('USER_NOT_FOUND', { field: 'userId' })
  const owner = await findPasswordOwner(context.database, user)
  const password = await parseNewPassword(context.config, owner, newPassword, 'newPassword')
  const passwordHash = await context.passwords.hash(password)
  await context.database.transaction().execute(async (transaction) => {
    const target = await lockTarget(transaction, context, caller, 'user.set-password', userId)
    await setPasswordHash(transaction, context, userId, passwordHash)
    await endSessionsOfUser(transaction, context, actor, userId)
    await revokeTokens(transaction, userId, ['reset password'])
    const passkeys = await findPasskeys(transaction, userId)
    const letter = passwordSetByStaffLetter(target.email, context.config.baseUrl, passkeys)
    await enqueueLetter(transaction, context, letter)
    await recordEvent(transaction, context, actor, { action: 'password.set', subjectId: userId })
  })
}
