import type { Context } from '../../server/core/context.ts'
import type { Email } from '../../server/platform/mail/email.ts'
import { prepareEmail, sendEmail } from '../../server/platform/mail/outbox.ts'

/** Inserts an email into the outbox. @returns its id */
export function sendTestEmail(context: Context, email: Email): Promise<string> {
  return sendEmail({ transaction: context.database, context }, prepareEmail(context, email))
}
