import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { insertToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockUserByEmailForShare } from '../../../core/users/lock-user.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { prepareEmail, sendEmailIfKnown } from '../../../platform/mail/outbox.ts'
import { emailVerificationEmail } from './emails.ts'

/**
 * Neither the response nor its time shows whether the address is known or verified.
 * @param input.callbackUrl from `parseCallbackUrl`
 * @throws ApiError INVALID_EMAIL
 */
export async function sendVerificationEmail(
  context: Context,
  actor: Actor,
  input: { email: string; callbackUrl?: string },
): Promise<void> {
  const address = parseEmailAddress(input.email)
  const token = newToken(context)
  const link = `${context.config.baseUrl}/verify-email#token=${token}`
  const email = prepareEmail(context, emailVerificationEmail(address, link))

  const user = await inTransaction(context, actor, async ({ transaction }) => {
    const user = await lockUserByEmailForShare(transaction, address)
    const isUnverified = user?.emailVerified === 0
    // This public form accepts every address. Only the address of a user is stored, and deleted with the user.
    const content = isUnverified
      ? { userId: user.id, data: { ...input, email: address } }
      : { userId: null, data: { ...input, email: '' } }
    await insertToken(transaction, context, 'verify email', token, content)
    await sendEmailIfKnown({ transaction, context }, email, isUnverified)
    return user
  })
  // Repeated events are inserted later: an event for known addresses alone would show in the response time.
  context.repeatedEvents.add(actor, { action: 'email.verification-requested', ...(user && { subjectId: user.id }) })
}
