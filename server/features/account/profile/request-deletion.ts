import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionForShare } from '../../../core/sessions/lock-sessions.ts'
import { issueToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockUserForShare } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailWithinLimit } from '../../../platform/mail/outbox.ts'
import { userDeletionEmail } from './emails.ts'

/**
 * Mails the caller a link that deletes their account; the link is revoked with the session that asks. A newer one does
 * not end an older one: both say the same.
 * @throws ApiError UNAUTHORIZED where the user is gone or the session is revoked; TOO_MANY_REQUESTS
 */
export async function requestDeletion(context: Context, actor: Actor, { user, session }: Caller): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    if (!(await lockUserForShare(transaction, user.id))) throw new ApiError('UNAUTHORIZED')
    if (!(await lockSessionForShare(transaction, session.id))) throw new ApiError('UNAUTHORIZED')
    const token = await issueToken(transaction, context, 'delete user', {
      userId: user.id,
      sessionId: session.id,
      data: {},
    })
    const link = `${context.config.baseUrl}/delete-account#token=${token}`
    await sendEmailWithinLimit(
      unit,
      prepareEmail(context, userDeletionEmail(user.email, link, { at: context.now(), ...actor })),
    )
    await unit.record({ action: 'user.deletion-requested', subjectId: user.id })
  })
}
