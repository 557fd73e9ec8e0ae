import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { resetLink } from '../../../core/credentials/reset-link.ts'
import { asUser, inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import {
  consumeToken,
  findUsableToken,
  insertToken,
  lockTokenUserForUpdate,
  revokeTokens,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { updateVerifiedEmail } from '../../../core/users/store.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { applyEmailChange } from './apply-email-change.ts'
import { setPasswordEmail } from './emails.ts'
import { losesTwoStep, recoverUser } from './recover-user.ts'

interface Verification {
  user: UserRow
  /** True when the former credentials were deleted, so that the user needs the emailed link to set a password. */
  passwordLinkSent: boolean
}

interface VerifiedEmail extends Verification {
  /** From the request for the link. The link does not contain it: a stranger could put text into the email. */
  callbackUrl?: string
}

/**
 * Verifies the email address that a link was sent to, and no other (CVE-2026-32700).
 * @throws ApiError INVALID_TOKEN; EMAIL_ALREADY_IN_USE when another user has the new address now
 */
export async function verifyEmail(context: Context, actor: Actor, token: string): Promise<VerifiedEmail> {
  const { database, now } = context
  const verification = await findUsableToken(database, now(), 'verify email', token)
  if (verification) {
    return { ...(await verifyAddress(context, actor, token, verification)), ...callbackOf(verification) }
  }
  const change = await findUsableToken(database, now(), 'change email', token)
  if (!change) throw new ApiError('INVALID_TOKEN', { field: 'token' })
  const user = await applyEmailChange(context, actor, token, change)
  return { user, passwordLinkSent: false, ...callbackOf(change) }
}

function callbackOf({ data: { callbackUrl } }: UsableToken<'verify email' | 'change email'>): { callbackUrl?: string } {
  return callbackUrl === undefined ? {} : { callbackUrl }
}

/** Unless the user is signed in, credentials are deleted: a stranger may have set them (GHSA-qq9h-g4jm-xgf3). */
async function verifyAddress(
  context: Context,
  actor: Actor,
  token: string,
  { userId, data }: UsableToken<'verify email'>,
): Promise<Verification> {
  const { database, now } = context
  const address = data.email
  const resetToken = newToken(context)
  const link = resetLink(context.config, resetToken)
  const known = userId === null ? undefined : await findUser(database, userId)
  const emailFor = prepareEmailFrom(known !== undefined && losesTwoStep(known), (isTwoStepOff) =>
    prepareEmail(context, setPasswordEmail(address, link, isTwoStepOff)),
  )

  return inTransaction(context, actor, async (unit) => {
    const { transaction, send } = unit
    const user = await lockTokenUserForUpdate(transaction, token)
    if (user?.email !== address || !(await consumeToken(transaction, now(), 'verify email', token)))
      throw new ApiError('INVALID_TOKEN', { field: 'token' })
    const ownUnit = asUser(unit, user.id)
    if (user.emailVerified === 1) return { user, passwordLinkSent: false }
    if (actor.actorId === user.id) {
      await ownUnit.record({ action: 'email.verified', subjectId: user.id })
      // The page of another link would warn of a loss of the credentials.
      await revokeTokens(transaction, user.id, ['verify email'])
      return { user: await updateVerifiedEmail(transaction, user.id, address, now()), passwordLinkSent: false }
    }
    const recovered = await recoverUser(ownUnit, user)
    await insertToken(transaction, context, 'reset password', resetToken, { userId: user.id, data: {} })
    await send(emailFor(losesTwoStep(user)))
    return { user: recovered, passwordLinkSent: true }
  })
}
