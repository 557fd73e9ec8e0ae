import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { requeueFailedEmails } from '../../../platform/mail/failed-emails.ts'

/** Sends an email again that failed. A link in it may have expired. @throws ApiError EMAIL_NOT_FOUND */
export async function retryEmail(context: Context, actor: Actor, emailId: string): Promise<void> {
  const [retried] = await requeue(context, actor, emailId)
  if (retried === undefined) throw new ApiError('EMAIL_NOT_FOUND', { field: 'emailId' })
}

/** Sends all emails again that failed and still have a text. @returns how many */
export async function retryFailedEmails(context: Context, actor: Actor): Promise<number> {
  return (await requeue(context, actor, undefined)).length
}

function requeue(context: Context, actor: Actor, emailId: string | undefined): Promise<string[]> {
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const ids = await requeueFailedEmails(transaction, context.now(), emailId)
    for (const subjectId of ids) await unit.record({ action: 'email.retried', subjectId })
    return ids
  })
}
