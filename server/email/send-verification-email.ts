import type { Context } from '../context.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import { verifyEmailLetter } from '../mail/letters/email.ts'
import { discardLetter, enqueueLetter } from '../mail/outbox.ts'
import { issueToken } from '../secrets/single-use-tokens.ts'
import { parseEmailAddress } from '../users/email-address.ts'
import { holdUserByEmail } from '../users/lock-user.ts'

/**
 * Mails a link that proves the mailbox, to an account whose address is not verified yet. An unknown and a verified
 * address take the same steps, but for the sending.
 * @param callbackUrl where the page goes on to afterwards, as `parseCallbackUrl` returned it
 * @throws ApiError INVALID_EMAIL; TOO_MANY_REQUESTS
 */
export async function sendVerificationEmail(
  context: Context,
  rateLimits: RateLimits,
  input: { email: string; callbackUrl?: string },
): Promise<void> {
  const email = parseEmailAddress(input.email)
  await rateLimits.spendLetter(email)

  await context.database.transaction().execute(async (transaction) => {
    const user = await holdUserByEmail(transaction, email)
    const isToBeVerified = user !== undefined && user.emailVerified === 0
    const subject = { userId: isToBeVerified ? user.id : null, data: { email } }
    const token = await issueToken(transaction, context, 'verify email', subject)
    const goOn = input.callbackUrl === undefined ? '' : `&callbackURL=${encodeURIComponent(input.callbackUrl)}`
    const letter = verifyEmailLetter(email, `${context.config.baseUrl}/verify-email#token=${token}${goOn}`)
    await (isToBeVerified ? enqueueLetter : discardLetter)(transaction, context, letter)
  })
}
