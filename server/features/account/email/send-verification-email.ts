import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { issueToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockUserByEmailForShare } from '../../../core/users/lock-user.ts'
import { prepareEmail, sendEmailIfKnown } from '../../../platform/mail/outbox.ts'
import { emailVerificationEmail } from './emails.ts'

/**
 * Mails a link that proves the mailbox, to an account whose address is not verified yet. An unknown and a verified
 * address take the same steps, but for the sending.
 * @param callbackUrl where the page goes on to afterwards, as `parseCallbackUrl` returned it
 * @throws ApiError INVALID_EMAIL
 */
export async function sendVerificationEmail(
  context: Context,
  actor: Actor,
  input: { email: string; callbackUrl?: string },
): Promise<void> {
  const email = parseEmailAddress(input.email)

  const user = await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const user = await lockUserByEmailForShare(transaction, email)
    const isToBeVerified = user !== undefined && user.emailVerified === 0
    const data = { ...input, email }
    const subject = { userId: isToBeVerified ? user.id : null, data }
    const token = await issueToken(transaction, context, 'verify email', subject)
    const message = emailVerificationEmail(email, `${context.config.baseUrl}/verify-email#token=${token}`)
    await sendEmailIfKnown(unit, prepareEmail(context, message), isToBeVerified)
    return user
  })
  // A stranger can repeat it at will, and an event for known addresses alone would show in the time.
  context.repeatedEvents.add(actor, { action: 'email.verification-requested', ...(user && { subjectId: user.id }) })
}
