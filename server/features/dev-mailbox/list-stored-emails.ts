import type { Context } from '../../core/context.ts'
import { isDue } from '../../platform/mail/due-emails.ts'
import type { RenderedEmail } from '../../platform/mail/email.ts'
import { readEmail, UnreadableEmailError } from '../../platform/mail/read-email.ts'

export interface StoredEmail extends RenderedEmail {
  id: string
  to: string
  createdAt: number
}

const EMAILS_SHOWN = 200

/** Newest first, without emails that are sent later. */
export async function listStoredEmails(context: Context): Promise<StoredEmail[]> {
  const rows = await context.database
    .selectFrom('outbox')
    .select(['id', 'recipient', 'encryptedEmail', 'createdAt'])
    .where('encryptedEmail', 'is not', null)
    .where(isDue('createdAt', context.now()))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(EMAILS_SHOWN)
    .execute()
  return rows.flatMap(({ id, recipient, encryptedEmail, createdAt }) => {
    const email = findEmail(context, encryptedEmail ?? '')
    return email ? [{ id, to: recipient, createdAt, ...email }] : []
  })
}

function findEmail(context: Context, encryptedEmail: string): RenderedEmail | undefined {
  try {
    return readEmail(context, encryptedEmail)
  } catch (error) {
    if (error instanceof UnreadableEmailError) return undefined
    throw error
  }
}
