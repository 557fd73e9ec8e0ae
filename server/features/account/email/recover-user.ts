import { deletePasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { deletePassword } from '../../../core/credentials/password-store.ts'
import { deleteDevicesOfUser } from '../../../core/devices/store.ts'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { deleteConsentsOfUser } from '../../../core/oauth-consents/store.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { removeTwoStep } from '../../../core/two-step/remove-two-step.ts'
import { updateVerifiedEmail } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'

/**
 * An intruder may have started the sessions and pending changes (Sudhodanan and Paverd: pre-hijacked accounts), and set
 * the credentials of an unverified user (GHSA-qq9h-g4jm-xgf3). Links that undo a change of the email address stay
 * usable: the earlier mailbox has them. The transaction has locked the user.
 */
export async function recoverUser(unit: UnitOfWork, user: UserRow): Promise<UserRow> {
  const { transaction, context, record } = unit
  await revokeSessionsOfUser(unit, user.id)
  await revokeTokens(transaction, user.id, ['reset password', 'verify email'])
  if (user.emailVerified === 1) return user
  await deleteCredentials(unit, user.id)
  await endTwoStep(unit, user)
  const verified = await updateVerifiedEmail(transaction, user.id, user.email, context.now())
  await record({ action: 'email.verified', subjectId: user.id })
  return verified
}

/** An intruder may have created any credential. An app with a consent gets tokens again without asking the user. */
export async function deleteCredentials({ transaction, recordAll }: UnitOfWork, userId: string): Promise<void> {
  await deletePassword(transaction, userId)
  const passkeys = await deletePasskeysOfUser(transaction, userId)
  await deleteDevicesOfUser(transaction, userId)
  const clients = await deleteConsentsOfUser(transaction, userId)
  await recordAll([
    ...passkeys.map(({ id, name }) => ({
      action: 'passkey.deleted' as const,
      subjectId: userId,
      details: { passkeyId: id, name },
    })),
    ...clients.map(({ id, name }) => ({
      action: 'oauth-consent.revoked' as const,
      subjectId: userId,
      details: { clientId: id, name },
    })),
  ])
}

/** Whether `recoverUser` turns two-step verification off. */
export function losesTwoStep({ emailVerified, twoFactorEnabled }: UserRow): boolean {
  return emailVerified === 0 && twoFactorEnabled === 1
}

export async function endTwoStep(unit: UnitOfWork, { id, twoFactorEnabled }: UserRow): Promise<void> {
  await removeTwoStep(unit, id)
  if (twoFactorEnabled === 1) await unit.record({ action: 'two-factor.disabled', subjectId: id })
}
