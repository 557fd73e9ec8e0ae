import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { insertToken, revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { assertMayChangeFactors } from '../../../core/two-step/assert-may-change-factors.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { readSubjectWait } from '../../../platform/mail/email-limits.ts'
import { prepareEmail, sendEmailIfKnown, sendEmailOrRefuse, tooManyEmails } from '../../../platform/mail/outbox.ts'
import { emailChangeEmail, emailChangeRequestedEmail } from './emails.ts'

/**
 * The response and the user's mailbox are the same for a free and a taken address: they show no known address.
 * @throws ApiError UNAUTHORIZED; INVALID_EMAIL; VALIDATION_ERROR; TOO_MANY_REQUESTS; as `assertMayChangeFactors`
 */
export async function changeEmail(
  context: Context,
  actor: Actor,
  caller: Caller,
  { newEmail: text, ...callback }: { newEmail: string; callbackUrl?: string },
): Promise<void> {
  const { user, session } = caller
  const newEmail = parseEmailAddress(text, 'newEmail')
  const isFree = (await findUserByEmail(context.database, newEmail)) === undefined
  const token = newToken(context)
  const { email, noticeFor } = prepareEmails(context, actor, user, newEmail, token)

  await inTransaction(context, actor, async ({ transaction, record }) => {
    const { email: oldEmail } = await lockCaller(transaction, context.now(), caller)
    // An earlier link may have changed the address to this one concurrently.
    if (newEmail === oldEmail)
      throw new ApiError('VALIDATION_ERROR', { field: 'newEmail', message: 'This is your address already.' })
    await assertMayChangeFactors(transaction, context.config, caller)
    // The limit of a recipient is not enough: with each change of the address, another stranger would get emails.
    const waitMilliseconds = await readSubjectWait(transaction, context.now(), 'change email', user.id)
    if (waitMilliseconds > 0) throw tooManyEmails(waitMilliseconds)
    await revokeTokens(transaction, user.id, ['change email'])
    await insertToken(transaction, context, 'change email', token, {
      userId: isFree ? user.id : null,
      sessionId: session.id,
      // A taken address belongs to another user, whose deletion would leave this row.
      data: { newEmail: isFree ? newEmail : '', oldEmail, ...callback },
    })
    await sendEmailIfKnown({ transaction, context }, email, isFree)
    await sendEmailOrRefuse({ transaction, context }, noticeFor(oldEmail))
    await record({ action: 'email.change-requested', subjectId: user.id })
  })
}

function prepareEmails(context: Context, actor: Actor, user: Caller['user'], newEmail: string, token: string) {
  const { baseUrl } = context.config
  const circumstances = { at: context.now(), ...actor }
  const link = `${baseUrl}/change-email#token=${token}`
  // At a deletion, the user may have neither address. The limit and the deletion find the emails by their subject.
  const about = { subjectId: user.id }
  const email = prepareEmail(context, { ...emailChangeEmail(newEmail, link, circumstances), ...about })
  const noticeFor = prepareEmailFrom(user.email, (address) =>
    prepareEmail(context, {
      ...emailChangeRequestedEmail(address, `${baseUrl}/account/security`, circumstances),
      ...about,
    }),
  )
  return { email, noticeFor }
}
