import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { getPersonalFacts } from '../../../core/credentials/get-personal-facts.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { deletePasskeyRow, listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import { readAccessAfterRecovery } from '../../../core/credentials/read-remaining-access.ts'
import type { Device } from '../../../core/devices/device.ts'
import { rememberDevice, rememberNetwork } from '../../../core/devices/known-device.ts'
import { readDeviceFacts } from '../../../core/devices/store.ts'
import { asUser, inTransaction, prepareEmailFrom, type UnitOfWork } from '../../../core/in-transaction.ts'
import { hasConsents } from '../../../core/oauth-consents/store.ts'
import { consumeToken, lockTokenUserForUpdate } from '../../../core/single-use-tokens/single-use-tokens.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { endsTwoStep, recoverUser } from '../email/recover-user.ts'
import { passwordResetEmail } from './emails.ts'
import { getResetUser } from './get-reset-user.ts'

interface Reset {
  token: string
  newPassword: string
  passkeyIdsToRemove: string[]
  /** Of all passkeys that the user has seen. A passkey that was added since must not remain unseen. */
  expectedPasskeyIds: string[] | undefined
  device: Device
}

/**
 * Sets the password of the token's user, verifies the email address and revokes every session. The email lists the
 * passkeys that remain and mentions the allowed apps, because an intruder may have added one. The device and its
 * network become known, so that guesses from elsewhere can't lock the user out.
 * @returns the value of a new device cookie; undefined when the device has a valid one
 * @throws ApiError INVALID_TOKEN; PASSWORD_… or PASSKEYS_CHANGED, after which the token is still usable
 */
export async function resetPassword(
  context: Context,
  actor: Actor,
  { token, newPassword, passkeyIdsToRemove, expectedPasskeyIds, device }: Reset,
): Promise<string | undefined> {
  const { database, config, passwords, now } = context
  // Checked before the hashing, so that an invalid token costs no hashing.
  const resetUser = await getResetUser(context, token)
  const facts = await getPersonalFacts(database, resetUser)
  const password = await parseNewPassword(config, facts, newPassword, 'newPassword')
  const passwordHash = await passwords.hash(password)
  const { passkeys, hasApps } = await readAccessAfterRecovery(database, resetUser)
  const remainingPasskeys = passkeys.filter(({ id }) => !passkeyIdsToRemove.includes(id))
  const circumstances = { at: now(), ...actor }
  const emailFor = prepareEmailFrom(
    { email: resetUser.email, passkeys: remainingPasskeys, hasApps, isTwoStepOff: endsTwoStep(resetUser) },
    ({ email, ...rest }) => prepareEmail(context, passwordResetEmail(email, config.baseUrl, rest, circumstances)),
  )

  return inTransaction(context, actor, async (unit) => {
    const { transaction, send } = unit
    const user = await lockTokenUserForUpdate(transaction, token)
    if (!user || !(await consumeToken(transaction, now(), 'reset password', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    const ownUnit = asUser(unit, user.id)
    const { id: userId, email } = await recoverUser(ownUnit, user)
    await setPasswordHash(transaction, context, userId, passwordHash)
    const lockedPasskeys = await removePasskeys(ownUnit, userId, passkeyIdsToRemove)
    if (expectedPasskeyIds && lockedPasskeys.some(({ id }) => !expectedPasskeyIds.includes(id)))
      throw new ApiError('PASSKEYS_CHANGED')
    const lockedHasApps = await hasConsents(transaction, userId)
    const isTwoStepOff = endsTwoStep(user)
    await send(emailFor({ email, passkeys: lockedPasskeys, hasApps: lockedHasApps, isTwoStepOff }))
    await ownUnit.record({ action: 'password.set', subjectId: userId })
    await rememberNetwork(transaction, context, userId, actor.ipAddress)
    const deviceFacts = await readDeviceFacts(transaction, { userId, device: device.hash ?? '', now: now() })
    const remembered = await rememberDevice(transaction, context, userId, { ...device, rememberMe: true }, deviceFacts)
    return remembered.newDeviceToken
  })
}

/** Ignores the ids of deleted passkeys and of passkeys of other users. @returns the passkeys that remain */
async function removePasskeys(
  { transaction, record }: UnitOfWork,
  userId: string,
  ids: string[],
): Promise<PasskeyRow[]> {
  const passkeys = await listPasskeysOfUser(transaction, userId)
  for (const { id, name } of passkeys.filter((passkey) => ids.includes(passkey.id))) {
    await deletePasskeyRow(transaction, userId, id)
    await record({ action: 'passkey.deleted', subjectId: userId, details: { passkeyId: id, name } })
  }
  return passkeys.filter((passkey) => !ids.includes(passkey.id))
}
