import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { insertToken, revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { newToken } from '../../../platform/crypto/tokens.ts'
import { prepareEmail, sendEmailOrRefuse } from '../../../platform/mail/outbox.ts'
import { userDeletionEmail } from './emails.ts'

/**
 * The link is revoked with the session that asks for it, and by a later request.
 * @param callback from `parseOptionalCallbackUrl`
 * @throws ApiError UNAUTHORIZED; TOO_MANY_REQUESTS
 */
export async function requestDeletion(
  context: Context,
  actor: Actor,
  caller: Caller,
  callback: { callbackUrl?: string },
): Promise<void> {
  const { user, session } = caller
  const token = newToken(context)
  const link = `${context.config.baseUrl}/delete-account#token=${token}`
  const circumstances = { at: context.now(), ...actor }
  const emailFor = prepareEmailFrom(user.email, (address) =>
    prepareEmail(context, userDeletionEmail(address, link, circumstances)),
  )

  await inTransaction(context, actor, async ({ transaction, record }) => {
    const { email } = await lockCaller(transaction, context.now(), caller)
    await revokeTokens(transaction, user.id, ['delete user'])
    const content = { userId: user.id, sessionId: session.id, data: callback }
    await insertToken(transaction, context, 'delete user', token, content)
    await sendEmailOrRefuse({ transaction, context }, emailFor(email))
    await record({ action: 'user.deletion-requested', subjectId: user.id })
  })
}
