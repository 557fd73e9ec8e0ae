import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { resetLink } from '../../../core/credentials/reset-link.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { insertToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import type { TokenData } from '../../../core/single-use-tokens/token-purposes.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockUserByEmailForShare } from '../../../core/users/lock-user.ts'
import type { Config } from '../../../platform/config/config.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { prepareEmail, sendEmailIfKnown } from '../../../platform/mail/outbox.ts'
import { resetPasswordEmail } from './emails.ts'

/**
 * Neither the response nor its time shows whether the email address is known.
 * @param input.redirectTo from `parseCallbackUrl`
 * @throws ApiError INVALID_EMAIL
 */
export async function requestPasswordReset(
  context: Context,
  actor: Actor,
  input: { email: string; redirectTo?: string },
): Promise<void> {
  // CVE-2019-19844: the look-up compares byte by byte, so this is the stored address.
  const address = parseEmailAddress(input.email)
  const token = newToken(context)
  const { link, data } = createResetLink(context.config, token, input.redirectTo)
  const email = prepareEmail(context, resetPasswordEmail(address, link, { at: context.now(), ...actor }))

  const user = await inTransaction(context, actor, async ({ transaction }) => {
    const user = await lockUserByEmailForShare(transaction, address)
    await insertToken(transaction, context, 'reset password', token, { userId: user?.id ?? null, data })
    await sendEmailIfKnown({ transaction, context }, email, user !== undefined)
    return user
  })
  // Repeated events are inserted later: an event for known addresses alone would show in the response time.
  context.repeatedEvents.add(actor, { action: 'password.reset-requested', ...(user && { subjectId: user.id }) })
}

/** Stores the address of another site: in the link, a stranger could put text into the email. */
function createResetLink(
  config: Config,
  token: string,
  redirectTo = '/reset-password',
): { link: string; data: TokenData['reset password'] } {
  const { baseUrl } = config
  const { origin, searchParams } = new URL(redirectTo, baseUrl)
  if (origin === baseUrl) return { link: resetLink(config, token, searchParams.get('next')), data: {} }
  return { link: `${baseUrl}/api/auth/reset-password/${token}`, data: { callbackUrl: redirectTo } }
}
