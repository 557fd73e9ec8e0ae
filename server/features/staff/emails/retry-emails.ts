import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { requeueFailedEmails } from '../../../platform/mail/failed-emails.ts'

/** @throws ApiError EMAIL_NOT_FOUND */
export async function retryEmail(context: Context, actor: Actor, emailId: string): Promise<void> {
  if ((await requeue(context, actor, emailId)) === 0) throw new ApiError('EMAIL_NOT_FOUND', { field: 'emailId' })
}

/** Retries all failed emails whose text is not purged. @returns the number of emails */
export function retryFailedEmails(context: Context, actor: Actor): Promise<number> {
  return requeue(context, actor, undefined)
}

function requeue(context: Context, actor: Actor, emailId: string | undefined): Promise<number> {
  return inTransaction(context, actor, async ({ transaction, recordAll }) => {
    const ids = await requeueFailedEmails(transaction, context.now(), emailId)
    await recordAll(ids.map((subjectId) => ({ action: 'email.retried', subjectId })))
    return ids.length
  })
}
