import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { consumeOnce } from '../secrets/single-use-tokens.ts'
import { endSessionsOfUser } from '../sessions/end-session.ts'
import { parseNewPassword } from './parse-password.ts'
import { setPasswordHash } from './set-password-hash.ts'

/**
 * Sets the password of the user that the link was made for, and ends all their sessions.
 * @throws ApiError INVALID_TOKEN; PASSWORD_…, which leaves the link good
 */
export async function resetPassword(context: Context, actor: Actor, token: string, newPassword: string): Promise<void> {
  const { database, config, passwords, now } = context
  const password = await parseNewPassword(newPassword, config.passwordMinLength, 'newPassword')
  const passwordHash = await passwords.hash(password)

  await database.transaction().execute(async (transaction) => {
    const used = await consumeOnce(transaction, now(), 'reset password', token)
    if (!used?.userId) throw new ApiError('INVALID_TOKEN')
    await setPasswordHash(transaction, context, used.userId, passwordHash)
    await endSessionsOfUser(transaction, used.userId)
    await recordEvent(transaction, context, actor, { action: 'password.set', subjectId: used.userId })
  })
}
