import type { AuthorizedStaff } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockStaffForShare } from '../../../core/users/lock-managed-user.ts'
import type { Email } from '../../../platform/mail/email.ts'
import { prepareEmail, sendEmailOrRefuse } from '../../../platform/mail/outbox.ts'

/** @throws ApiError TOO_MANY_REQUESTS; as `lockStaffForShare` */
export async function sendTestEmail(
  context: Context,
  actor: Actor,
  staff: AuthorizedStaff,
): Promise<{ emailId: string; recipient: string }> {
  const email = prepareEmail(context, testEmail(''))
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const { email: recipient } = await lockStaffForShare(transaction, context, staff)
    const emailId = await sendEmailOrRefuse({ transaction, context }, { ...email, recipient })
    await record({ action: 'email.test-sent', subjectId: emailId })
    return { emailId, recipient }
  })
}

export function testEmail(recipient: string): Email {
  return {
    kind: 'test email',
    recipient,
    subject: 'Test email',
    heading: 'Emails arrive',
    paragraphs: ['This email shows that the service sends emails and that they reach your mailbox.'],
    reason: 'you asked for a test email',
  }
}
