import type { Kysely } from 'kysely'
import type { OutboxRow, Tables } from '../database/tables.ts'

const REMEMBERED_MILLISECONDS = 90 * 24 * 3_600_000

/** Some of the letters that were settled and are three months old; of several processes each takes others. @returns how many */
export async function deleteFinishedEmails(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('outbox')
    .where('id', 'in', (emails) =>
      emails
        .selectFrom('outbox')
        .select('id')
        .where('createdAt', '<=', now - REMEMBERED_MILLISECONDS)
        .where((where) => where.or([where('sentAt', 'is not', null), where('failedAt', 'is not', null)]))
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Deletes some of the emails that were never to be sent: a stranger causes one with every unknown address. @returns how many */
export async function deleteDiscardedEmails(database: Kysely<Tables>, _now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('outbox')
    .where('id', 'in', (emails) =>
      emails.selectFrom('outbox').select('id').where('recipient', '=', '').limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

const FAILED_TEXT_MILLISECONDS = 24 * 3_600_000

/** Deletes the text of some emails that failed a day ago or earlier. @returns how many */
export async function deleteFailedTexts(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('outbox')
    .set({ encryptedEmail: null })
    .where('id', 'in', (emails) =>
      emails
        .selectFrom('outbox')
        .select('id')
        .where('failedAt', '<=', now - FAILED_TEXT_MILLISECONDS)
        .where('encryptedEmail', 'is not', null)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** How `lastError` begins when the server said nothing about the email. */
export const NOT_AVAILABLE = 'The mail server is not available'

/** What the server said about the email. Other errors may name hosts of ours, so only the log has them. */
export function describeAnswer(lastError: string): string {
  // The reply line (RFC 5321, section 4.2).
  const reply = lastError.startsWith(NOT_AVAILABLE) ? undefined : /\b[245]\d\d[ -].*/.exec(lastError)?.[0]
  return reply ?? 'The mail server could not be reached.'
}

/** What became of a letter. */
export type EmailDelivery = Pick<OutboxRow, 'createdAt' | 'lastAttemptAt' | 'sentAt' | 'failedAt' | 'lastError'> & {
  subjectId: string
}

/** The letters about certain things, oldest first. */
export async function listEmailDeliveries(database: Kysely<Tables>, subjectIds: string[]): Promise<EmailDelivery[]> {
  if (subjectIds.length === 0) return []
  const rows = await database
    .selectFrom('outbox')
    .select(['subjectId', 'createdAt', 'lastAttemptAt', 'sentAt', 'failedAt', 'lastError'])
    .where('subjectId', 'in', subjectIds)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows as EmailDelivery[]
}
