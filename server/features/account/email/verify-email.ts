import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import { recordEvent } from '../../../core/audit/record-event.ts'
import type { Context } from '../../../core/context.ts'
import { lockSessionsOf } from '../../../core/sessions/lock-sessions.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import {
  consumeOnce,
  findOpenToken,
  issueToken,
  type OpenToken,
  revokeTokens,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockTokenOwner } from '../../../core/users/lock-user.ts'
import { saveEmail } from '../../../core/users/store.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { enqueueEmail } from '../../../platform/mail/outbox.ts'
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
  const { database, now } = context
  try {
    return await database.transaction().execute(async (transaction) => {
      const user = await lockTokenOwner(transaction, token)
      const verification = user && (await consumeOnce(transaction, now(), 'verify email', token))
      if (verification)
        return verified(await confirmAddress(transaction, context, actor, user, verification), verification)
      const change = user && (await findOpenToken(transaction, now(), 'change email', token))
      if (change) return verified(await applyChange(transaction, context, actor, user, { ...change, token }), change)
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('EMAIL_ALREADY_IN_USE', { cause: error }) : error
  }
}

/** The callback is stored beside the token: in the link, it would put a stranger's text into our email. */
function verified(user: UserRow, { data }: OpenToken): VerifiedEmail {
  return typeof data.callbackUrl === 'string' ? { user, callbackUrl: data.callbackUrl } : { user }
}

async function confirmAddress(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  user: UserRow,
  { data }: OpenToken,
): Promise<UserRow> {
  if (user.email !== data.email) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  if (actor.actorId !== user.id && user.emailVerified === 0) {
    const recovered = await recoverUser(transaction, context, actor, user)
    const resetToken = await issueToken(transaction, context, 'reset password', { userId: user.id, data: {} })
    const link = `${context.config.baseUrl}/reset-password#token=${resetToken}`
    await enqueueEmail(transaction, context, setPasswordEmail(user.email, link))
    return recovered
  }
  await recordEvent(transaction, context, actor, { action: 'email.verified', subjectId: user.id })
  return saveEmail(transaction, user.id, user.email, context.now())
}

/**
 * Every session but the one that asked is revoked. The old address is told. Locks are taken in the order users, sessions,
 * tokens; so the token is used up last, and a session that was revoked in between undoes the change.
 */
async function applyChange(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  user: UserRow,
  { data, sessionId, token }: OpenToken & { token: string },
): Promise<UserRow> {
  const { newEmail, oldEmail } = data as { newEmail: string; oldEmail: string }
  if (user.email !== oldEmail) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  const changed = await saveEmail(transaction, user.id, newEmail, context.now())
  await lockSessionsOf(transaction, user.id)
  if (!(await consumeOnce(transaction, context.now(), 'change email', token)))
    throw new ApiError('INVALID_TOKEN', { field: 'token' })
  await revokeTokens(transaction, user.id, ['change email', 'verify email', 'reset password', 'delete user'])
  await revokeSessionsOfUser(transaction, context, actor, user.id, sessionId)
  await tellOldAddress(transaction, context, actor, user, newEmail)
  await recordEvent(transaction, context, actor, { action: 'email.changed', subjectId: user.id })
  return changed
}

/** Only an address that was verified can take the account back: a mistyped one belongs to a stranger. */
async function tellOldAddress(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  { id: userId, email: oldEmail, emailVerified }: UserRow,
  newEmail: string,
): Promise<void> {
  if (emailVerified === 0) {
    await enqueueEmail(transaction, context, unverifiedEmailChangedEmail(oldEmail))
    return
  }
  const undoToken = await issueToken(transaction, context, 'undo email change', { userId, data: { oldEmail } })
  const undoLink = `${context.config.baseUrl}/undo-change-email#token=${undoToken}`
  const circumstances = { at: context.now(), ...actor }
  await enqueueEmail(transaction, context, emailChangedEmail(oldEmail, newEmail, undoLink, circumstances))
}
