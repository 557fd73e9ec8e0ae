import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { issueToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { lockUserByEmailForShare } from '../../../core/users/lock-user.ts'
import type { Config } from '../../../platform/config/config.ts'
import { prepareEmail, sendEmailIfKnown } from '../../../platform/mail/outbox.ts'
import { resetPasswordEmail } from './emails.ts'

/**
 * Mails a link to set a new password, to the stored address only (CVE-2019-19844). An unknown address takes the same
 * steps, but for the sending: neither answer nor time tells whether it is known.
 * @param redirectTo where the link leads in the end, as `parseCallbackUrl` returned it; our own page without it
 * @throws ApiError INVALID_EMAIL
 */
export async function requestPasswordReset(
  context: Context,
  actor: Actor,
  input: { email: string; redirectTo?: string },
): Promise<void> {
  const email = parseEmailAddress(input.email)

  const user = await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const user = await lockUserByEmailForShare(transaction, email)
    const token = await issueToken(transaction, context, 'reset password', { userId: user?.id ?? null, data: {} })
    const link = resetLink(context.config, token, input.redirectTo)
    const message = resetPasswordEmail(user?.email ?? email, link, { at: context.now(), ...actor })
    await sendEmailIfKnown(unit, prepareEmail(context, message), user !== undefined)
    return user
  })
  // A stranger can repeat it at will, and an event for known addresses alone would show in the time.
  context.repeatedEvents.add(actor, { action: 'password.reset-requested', ...(user && { subjectId: user.id }) })
}

/**
 * Our own page takes the token in the fragment, which no server or proxy sees; other sites by way of the redirect. The
 * page gets `next` of its address in `redirectTo`, and returns the user to that service.
 */
function resetLink({ baseUrl }: Config, token: string, redirectTo = '/reset-password'): string {
  const { origin, searchParams } = new URL(redirectTo, baseUrl)
  if (origin !== baseUrl) {
    return `${baseUrl}/api/auth/reset-password/${token}?callbackURL=${encodeURIComponent(redirectTo)}`
  }
  const next = searchParams.get('next')
  const query = next === null ? '' : `?${new URLSearchParams({ next })}`
  return `${baseUrl}/reset-password${query}#token=${token}`
}
