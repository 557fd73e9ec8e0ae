import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Device } from '../devices/device.ts'
import { rememberDevice, rememberNetwork } from '../devices/known-device.ts'
import { recoverUser } from '../email/recover-user.ts'
import { ApiError } from '../http/errors.ts'
import { passwordChangedLetter } from '../mail/letters/password.ts'
import { enqueueLetter } from '../mail/outbox.ts'
import { consumeOnce, findOpenToken } from '../secrets/single-use-tokens.ts'
import { findUser } from '../users/find-user.ts'
import { lockTokenOwner } from '../users/lock-user.ts'
import { findPasswordOwner } from './find-password-owner.ts'
import { parseNewPassword } from './parse-password.ts'
import type { PasswordOwner } from './personal-words.ts'
import { setPasswordHash } from './set-password-hash.ts'

/**
 * Sets the password of the user that the link was made for. Using the link proves the mailbox; all sessions end. The
 * device that did it, and its network, are known from then on: guesses from elsewhere can't lock the user out of them.
 * @returns the token for the device's cookie; undefined where its cookie is good already
 * @throws ApiError INVALID_TOKEN; PASSWORD_…, which leaves the link good
 */
export async function resetPassword(
  context: Context,
  actor: Actor,
  { token, newPassword, device }: { token: string; newPassword: string; device: Device },
): Promise<string | undefined> {
  const { database, config, passwords, now } = context
  const passwordOwner = await requireTokenOwner(context, token)
  const password = await parseNewPassword(config, passwordOwner, newPassword, 'newPassword')
  const passwordHash = await passwords.hash(password)

  return database.transaction().execute(async (transaction) => {
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
    await rememberNetwork(transaction, context, user.id, actor.ipAddress)
    return rememberDevice(transaction, context, user.id, device)
  })
}

/** Before anything is hashed: a made-up token costs no hashing. @throws ApiError INVALID_TOKEN */
async function requireTokenOwner({ database, now }: Context, token: string): Promise<PasswordOwner> {
  const found = await findOpenToken(database, now(), 'reset password', token)
  const user = found?.userId ? await findUser(database, found.userId) : undefined
  if (!user) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  return findPasswordOwner(database, user)
}
