import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import { recoverUser } from '../email/recover-user.ts'
import { ApiError } from '../http/errors.ts'
import { passwordChangedLetter } from '../mail/letters/password.ts'
import { enqueueLetter } from '../mail/outbox.ts'
import { consumeOnce } from '../secrets/single-use-tokens.ts'
import { lockTokenOwner } from '../users/lock-user.ts'
import { parseNewPassword } from './parse-password.ts'
import { setPasswordHash } from './set-password-hash.ts'

/**
 * Sets the password of the user that the link was made for. Using the link proves the mailbox; all sessions end.
 * @throws ApiError INVALID_TOKEN; PASSWORD_…, which leaves the link good
 */
export async function resetPassword(context: Context, actor: Actor, token: string, newPassword: string): Promise<void> {
  const { database, config, passwords, now } = context
  const password = await parseNewPassword(newPassword, config.passwordMinLength, 'newPassword')
  const passwordHash = await passwords.hash(password)

  await database.transaction().execute(async (transaction) => {
    const owner = await lockTokenOwner(transaction, token)
    if (!owner || !(await consumeOnce(transaction, now(), 'reset password', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    const user = await recoverUser(transaction, context, actor, owner)
    await setPasswordHash(transaction, context, user.id, passwordHash)
    const circumstances = { at: now(), ...actor }
    await enqueueLetter(
      transaction,
      context,
      passwordChangedLetter(user.email, `${config.baseUrl}/forgot-password`, circumstances),
    )
    await recordEvent(transaction, context, actor, { action: 'password.set', subjectId: user.id })
  })
}
