import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionForShare } from '../../../core/sessions/lock-sessions.ts'
import { issueToken, revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailIfKnown } from '../../../platform/mail/outbox.ts'
import { emailChangeEmail, emailChangeRequestedEmail } from './emails.ts'

/**
 * Mails a link to the new address; until it is used, nothing changes. An address that somebody else has takes the same
 * steps, but for the sending. A newer request takes the place of an older one. The link is revoked with the session that
 * asks. The present address is told either way: an email only for a free address would show which addresses are known.
 * @throws ApiError UNAUTHORIZED where the user is gone or the session is revoked; INVALID_EMAIL; VALIDATION_ERROR for the address that the caller has already
 */
export async function changeEmail(
  context: Context,
  actor: Actor,
  { user, session }: Caller,
  input: { newEmail: string; callbackUrl?: string },
): Promise<void> {
  const newEmail = parseEmailAddress(input.newEmail, 'newEmail')
  if (newEmail === user.email)
    throw new ApiError('VALIDATION_ERROR', { field: 'newEmail', message: 'This is your address already.' })
  const isFree = (await findUserByEmail(context.database, newEmail)) === undefined

  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    if (!(await lockUserForUpdate(transaction, user.id))) throw new ApiError('UNAUTHORIZED')
    if (!(await lockSessionForShare(transaction, session.id))) throw new ApiError('UNAUTHORIZED')
    await revokeTokens(transaction, user.id, ['change email'])
    const token = await issueToken(transaction, context, 'change email', {
      userId: isFree ? user.id : null,
      sessionId: session.id,
      data: {
        newEmail,
        oldEmail: user.email,
        ...(input.callbackUrl !== undefined && { callbackUrl: input.callbackUrl }),
      },
    })
    const link = `${context.config.baseUrl}/change-email#token=${token}`
    const circumstances = { at: context.now(), ...actor }
    const email = emailChangeEmail(newEmail, link, circumstances)
    await sendEmailIfKnown(unit, prepareEmail(context, email), isFree)
    const securityPage = `${context.config.baseUrl}/account/security`
    const notice = emailChangeRequestedEmail(user.email, securityPage, circumstances)
    await sendEmailIfKnown(unit, prepareEmail(context, notice), true)
    await unit.record({ action: 'email.change-requested', subjectId: user.id })
  })
}
