import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { deleteUserLetter } from '../mail/letters/deletion.ts'
import { enqueueWithinLimit } from '../mail/outbox.ts'
import { issueToken } from '../secrets/single-use-tokens.ts'
import { lockSessionForShare } from '../sessions/lock-sessions.ts'
import { holdUser } from '../users/lock-user.ts'

/**
 * Mails the caller a link that deletes their account; the link is revoked with the session that asks. A newer one does
 * not end an older one: both say the same.
 * @throws ApiError UNAUTHORIZED where the user is gone or the session is revoked; TOO_MANY_REQUESTS
 */
export async function requestDeletion(context: Context, actor: Actor, { user, session }: Caller): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    if (!(await holdUser(transaction, user.id))) throw new ApiError('UNAUTHORIZED')
    if (!(await lockSessionForShare(transaction, session.id))) throw new ApiError('UNAUTHORIZED')
    const token = await issueToken(transaction, context, 'delete user', {
      userId: user.id,
      sessionId: session.id,
      data: {},
    })
    const link = `${context.config.baseUrl}/delete-account#token=${token}`
    await enqueueWithinLimit(transaction, context, deleteUserLetter(user.email, link, { at: context.now(), ...actor }))
    await recordEvent(transaction, context, actor, { action: 'user.deletion-requested', subjectId: user.id })
  })
}
