import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { lockStaffForShare } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { requeueFailedEmails } from '../../../platform/mail/failed-emails.ts'

/** @param staff null for the command line. @throws ApiError EMAIL_NOT_FOUND; as `lockStaffForShare` */
export async function retryEmail(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff | null,
  emailId: string,
): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    if (staff) await lockStaffForShare(unit.transaction, context, staff)
    if ((await requeue(unit, emailId)) === 0) throw new ApiError('EMAIL_NOT_FOUND', { field: 'emailId' })
  })
}

/** Retries all failed emails whose text is not purged. @returns the number of emails */
export function retryFailedEmails(context: Context, actor: Actor): Promise<number> {
  return inTransaction(context, actor, (unit) => requeue(unit))
}

async function requeue({ transaction, context, recordAll }: UnitOfWork, emailId?: string): Promise<number> {
  const ids = await requeueFailedEmails(transaction, context.now(), emailId)
  await recordAll(ids.map((subjectId) => ({ action: 'email.retried', subjectId })))
  return ids.length
}
