import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockSessionsOf } from '../../../core/sessions/lock-sessions.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import {
  consumeToken,
  createToken,
  findUsableToken,
  revokeTokens,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockTokenOwner } from '../../../core/users/lock-user.ts'
import { saveEmail } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { emailChangedEmail, setPasswordEmail, unverifiedEmailChangedEmail } from './emails.ts'
import { recoverUser } from './recover-user.ts'

interface VerifiedEmail {
  user: UserRow
  /** Where whoever asked for the link wanted the browser to go on to. */
  callbackUrl?: string
}

/**
 * Uses the link that proves a mailbox: that of the account's address, or that of the one it is to change to. Each link
 * proves its own address only (CVE-2026-32700). Where nobody had proved the account's address before, and whoever does now
 * is not signed in to it, the account may have been made by somebody else: its sessions and credentials go, and a link to
 * set a password is mailed (GHSA-qq9h-g4jm-xgf3).
 * @throws ApiError INVALID_TOKEN; EMAIL_ALREADY_IN_USE when somebody else has taken the new address concurrently
 */
export async function verifyEmail(context: Context, actor: Actor, token: string): Promise<VerifiedEmail> {
  const { now } = context
  try {
    return await inTransaction(context, actor, async (unit) => {
      const { transaction } = unit
      const user = await lockTokenOwner(transaction, token)
      const verification = user && (await consumeToken(transaction, now(), 'verify email', token))
      if (verification) return verified(await confirmAddress(unit, user, verification), verification)
      const change = user && (await findUsableToken(transaction, now(), 'change email', token))
      if (change) return verified(await applyChange(unit, user, { ...change, token }), change)
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('EMAIL_ALREADY_IN_USE', { cause: error }) : error
  }
}

/** The callback is stored beside the token: in the link, it would put a stranger's text into our email. */
function verified(user: UserRow, { data }: UsableToken): VerifiedEmail {
  return typeof data.callbackUrl === 'string' ? { user, callbackUrl: data.callbackUrl } : { user }
}

async function confirmAddress(unit: UnitOfWork, user: UserRow, { data }: UsableToken): Promise<UserRow> {
  const { transaction, context, actor } = unit
  if (user.email !== data.email) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  if (actor.actorId !== user.id && user.emailVerified === 0) {
    const recovered = await recoverUser(unit, user)
    const resetToken = await createToken(transaction, context, 'reset password', { userId: user.id, data: {} })
    const link = `${context.config.baseUrl}/reset-password#token=${resetToken}`
    await unit.send(prepareEmail(context, setPasswordEmail(user.email, link)))
    return recovered
  }
  await unit.record({ action: 'email.verified', subjectId: user.id })
  return saveEmail(transaction, user.id, user.email, context.now())
}

/**
 * Every session but the one that asked is revoked. The old address is told. Locks are taken in the order users, sessions,
 * tokens; so the token is used up last, and a session that was revoked in between undoes the change.
 */
async function applyChange(
  unit: UnitOfWork,
  user: UserRow,
  { data, sessionId, token }: UsableToken & { token: string },
): Promise<UserRow> {
  const { transaction, context } = unit
  const { newEmail, oldEmail } = data as { newEmail: string; oldEmail: string }
  if (user.email !== oldEmail) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  const changed = await saveEmail(transaction, user.id, newEmail, context.now())
  await lockSessionsOf(transaction, user.id)
  if (!(await consumeToken(transaction, context.now(), 'change email', token)))
    throw new ApiError('INVALID_TOKEN', { field: 'token' })
  await revokeTokens(transaction, user.id, ['change email', 'verify email', 'reset password', 'delete user'])
  await revokeSessionsOfUser(unit, user.id, sessionId)
  await tellOldAddress(unit, user, newEmail)
  await unit.record({ action: 'email.changed', subjectId: user.id })
  return changed
}

/** Only an address that was verified can take the account back: a mistyped one belongs to a stranger. */
async function tellOldAddress(
  unit: UnitOfWork,
  { id: userId, email: oldEmail, emailVerified }: UserRow,
  newEmail: string,
): Promise<void> {
  const { transaction, context, actor } = unit
  if (emailVerified === 0) {
    await unit.send(prepareEmail(context, unverifiedEmailChangedEmail(oldEmail)))
    return
  }
  const undoToken = await createToken(transaction, context, 'undo email change', { userId, data: { oldEmail } })
  const undoLink = `${context.config.baseUrl}/undo-change-email#token=${undoToken}`
  const circumstances = { at: context.now(), ...actor }
  await unit.send(prepareEmail(context, emailChangedEmail(oldEmail, newEmail, undoLink, circumstances)))
}
