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
import { losesTwoStep, recoverUser } from '../email/recover-user.ts'
import { passwordResetEmail } from './emails.ts'
import { getResetUser } from './get-reset-user.ts'

interface Reset {
  token: string
  newPassword: string
  passkeyIdsToRemove: string[]
  /** Undefined to delete the passkeys of `passkeyIdsToRemove` only. */
  passkeyIdsToKeep: string[] | undefined
  device: Device
}

/**
 * The email lists the remaining passkeys and the allowed apps, because an intruder may have added one. The device and
 * its network become known, so that guesses from elsewhere can't lock the user out.
 * @returns the value of a new device cookie; undefined when the device has a valid one
 * @throws ApiError INVALID_TOKEN; PASSWORD_…, after which the token is still usable
 */
export async function resetPassword(
  context: Context,
  actor: Actor,
  { token, newPassword, device, ...choice }: Reset,
): Promise<string | undefined> {
  const { database, config, passwords, now } = context
  // Checked before the hashing, so that an invalid token costs no hashing.
  const resetUser = await getResetUser(context, token)
  const facts = await getPersonalFacts(database, resetUser)
  const password = await parseNewPassword(config, facts, newPassword, 'newPassword')
  const passwordHash = await passwords.hash(password)
  const { passkeys, hasApps } = await readAccessAfterRecovery(database, resetUser)
  const remainingPasskeys = passkeys.filter(({ id }) => remains(id, choice))
  const circumstances = { at: now(), ...actor }
  const emailFor = prepareEmailFrom(
    { email: resetUser.email, passkeys: remainingPasskeys, hasApps, isTwoStepOff: losesTwoStep(resetUser) },
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
    const lockedPasskeys = await removePasskeys(ownUnit, userId, choice)
    const lockedHasApps = await hasConsents(transaction, userId)
    const isTwoStepOff = losesTwoStep(user)
    await send(emailFor({ email, passkeys: lockedPasskeys, hasApps: lockedHasApps, isTwoStepOff }))
    await ownUnit.record({ action: 'password.set', subjectId: userId })
    await rememberNetwork(transaction, context, userId, actor.ipAddress)
    const deviceFacts = await readDeviceFacts(transaction, { userId, device: device.hash ?? '', now: now() })
    const remembered = await rememberDevice(transaction, context, userId, { ...device, rememberMe: true }, deviceFacts)
    return remembered.newDeviceToken
  })
}

type PasskeyChoice = Pick<Reset, 'passkeyIdsToRemove' | 'passkeyIdsToKeep'>

function remains(id: string, { passkeyIdsToRemove, passkeyIdsToKeep }: PasskeyChoice): boolean {
  return !passkeyIdsToRemove.includes(id) && (passkeyIdsToKeep?.includes(id) ?? true)
}

/** Ignores the ids of deleted passkeys and of passkeys of other users. */
async function removePasskeys(
  { transaction, record }: UnitOfWork,
  userId: string,
  choice: PasskeyChoice,
): Promise<PasskeyRow[]> {
  const passkeys = await listPasskeysOfUser(transaction, userId)
  for (const { id, name } of passkeys.filter((passkey) => !remains(passkey.id, choice))) {
    await deletePasskeyRow(transaction, userId, id)
    await record({ action: 'passkey.deleted', subjectId: userId, details: { passkeyId: id, name } })
  }
  return passkeys.filter(({ id }) => remains(id, choice))
}
