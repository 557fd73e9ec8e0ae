import type { Kysely } from 'kysely'
import type { OutboxRow, Tables } from '../database/tables.ts'
import { isDiscarded } from './discarded-emails.ts'
import { isOfKind } from './email-kind.ts'

/** The beginning of `lastError` without a response about the email. */
export const NOT_AVAILABLE = 'The mail server is not available'
export const UNREADABLE = "The email can't be decrypted."

/** Other errors may contain internal host names, which only the log may have. */
export function describeResponse(lastError: string): string {
  if (isDiscarded(lastError) || lastError === UNREADABLE) return lastError
  // The reply line (RFC 5321, section 4.2). The port in a network error comes after a colon without a space.
  const reply = /(?<=^|: |=)[245]\d\d[ -].*/.exec(lastError)?.[0]
  if (reply === undefined) return 'The mail server did not respond to this email.'
  return lastError.startsWith(NOT_AVAILABLE) ? 'The mail server accepts no emails from this service now.' : reply
}

export type EmailDelivery = Pick<OutboxRow, 'createdAt' | 'lastAttemptAt' | 'sentAt' | 'failedAt' | 'lastError'> & {
  subjectId: string
}

export async function listInvitationDeliveries(
  database: Kysely<Tables>,
  invitationIds: string[],
): Promise<EmailDelivery[]> {
  if (invitationIds.length === 0) return []
  const rows = await database
    .selectFrom('outbox')
    .select(['subjectId', 'createdAt', 'lastAttemptAt', 'sentAt', 'failedAt', 'lastError'])
    .where('subjectId', 'in', invitationIds)
    .where(isOfKind('invitation'))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows as EmailDelivery[]
}
