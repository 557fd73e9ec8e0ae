import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { asUser, inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import {
  consumeToken,
  lockTokenUserForUpdate,
  revokeTokens,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { updateVerifiedEmail } from '../../../core/users/store.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { type PreparedEmail, prepareEmail } from '../../../platform/mail/outbox.ts'
import { emailChangedBackEmail, emailChangedEmail, unverifiedEmailChangedEmail } from './emails.ts'
import { findUndoLinkTo, insertUndoLink, revokeUndoLinksFrom } from './undo-links.ts'

/** @throws ApiError INVALID_TOKEN; EMAIL_ALREADY_IN_USE */
export async function applyEmailChange(
  context: Context,
  actor: Actor,
  token: string,
  { data, sessionId }: UsableToken<'change email'>,
): Promise<UserRow> {
  const { now } = context
  const { newEmail, oldEmail } = data
  const undoToken = newToken(context)
  const undoLink = `${context.config.baseUrl}/undo-change-email#token=${undoToken}`
  const changedEmail = emailChangedEmail(oldEmail, newEmail, undoLink, { at: now(), ...actor })
  const emails = {
    changed: prepareEmail(context, changedEmail),
    changedBack: prepareEmail(context, emailChangedBackEmail(oldEmail)),
    unverified: prepareEmail(context, unverifiedEmailChangedEmail(oldEmail)),
  }

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const user = await lockTokenUserForUpdate(transaction, token)
    if (user?.email !== oldEmail) throw new ApiError('INVALID_TOKEN', { field: 'token' })
    // The browser may be signed in as another user. The history of the token's user must show its network and device.
    const ownUnit = asUser(unit, user.id)
    const changed = await updateVerifiedEmail(transaction, user.id, newEmail, now())
    // Locks are taken in the order users, sessions, tokens. A session that was revoked before has deleted its token.
    await lockSessionsOfUserForUpdate(transaction, user.id)
    if (!(await consumeToken(transaction, now(), 'change email', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    await revokeTokens(transaction, user.id, ['change email', 'verify email', 'reset password', 'delete user'])
    await revokeSessionsOfUser(ownUnit, user.id, sessionId)
    await tellOldAddress(unit, user, { newEmail, undoToken, emails })
    await ownUnit.record({ action: 'email.changed', subjectId: user.id })
    return changed
  })
}

interface Notice {
  newEmail: string
  undoToken: string
  emails: Record<'changed' | 'changedBack' | 'unverified', PreparedEmail>
}

/**
 * A change back to an address whose own link still works counts as its use. The old mailbox, which may be an
 * intruder's, must not get a link that works for longer.
 */
async function tellOldAddress(unit: UnitOfWork, user: UserRow, { newEmail, undoToken, emails }: Notice): Promise<void> {
  const { transaction, context } = unit
  const send = (email: PreparedEmail) => unit.send({ ...email, subjectId: user.id })
  const undone = await findUndoLinkTo(transaction, user.id, newEmail, context.now())
  if (undone) await revokeUndoLinksFrom(transaction, user.id, undone)
  // An unverified address may be mistyped. Its owner is a stranger, who must not get the account.
  if (user.emailVerified === 0) await send(emails.unverified)
  else if (undone) await send(emails.changedBack)
  else {
    await insertUndoLink(unit, user.id, undoToken, user.email)
    await send(emails.changed)
  }
}
