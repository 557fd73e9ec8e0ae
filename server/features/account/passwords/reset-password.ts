import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { findPasswordOwner } from '../../../core/credentials/find-password-owner.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { removePasskeys } from '../../../core/credentials/remove-passkeys.ts'
import { setPasswordHash } from '../../../core/credentials/set-password-hash.ts'
import type { Device } from '../../../core/devices/device.ts'
import { rememberDevice, rememberNetwork } from '../../../core/devices/known-device.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { consumeToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockTokenOwner } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { recoverUser } from '../email/recover-user.ts'
import { passwordResetEmail } from './emails.ts'
import { requireResetUser } from './require-reset-user.ts'

interface Reset {
  token: string
  newPassword: string
  passkeyIdsToRemove: string[]
  device: Device
}

/**
 * Sets the password of the user that the link was made for. Using the link proves the mailbox; all sessions end. The
 * device that did it, and its network, are known from then on: guesses from elsewhere can't lock the user out of them.
 * Passkeys stay, but those that the user removes; the email names those that stay, since an intruder may have added one.
 * @returns the token for the device's cookie; undefined where its cookie is good already
 * @throws ApiError INVALID_TOKEN; PASSWORD_…, which leaves the link good
 */
export async function resetPassword(
  context: Context,
  actor: Actor,
  { token, newPassword, passkeyIdsToRemove, device }: Reset,
): Promise<string | undefined> {
  const { database, config, passwords, now } = context
  // Before anything is hashed: a made-up token costs no hashing.
  const passwordOwner = await findPasswordOwner(database, await requireResetUser(context, token))
  const password = await parseNewPassword(config, passwordOwner, newPassword, 'newPassword')
  const passwordHash = await passwords.hash(password)

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const owner = await lockTokenOwner(transaction, token)
    if (!owner || !(await consumeToken(transaction, now(), 'reset password', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    const user = await recoverUser(unit, owner)
    await setPasswordHash(transaction, context, user.id, passwordHash)
    const passkeys = await removePasskeys(unit, user.id, passkeyIdsToRemove)
    const email = passwordResetEmail(user.email, config.baseUrl, passkeys, { at: now(), ...actor })
    await unit.send(prepareEmail(context, email))
    await unit.record({ action: 'password.set', subjectId: user.id })
    await rememberNetwork(transaction, context, user.id, actor.ipAddress)
    return rememberDevice(transaction, context, user.id, device)
  })
}
