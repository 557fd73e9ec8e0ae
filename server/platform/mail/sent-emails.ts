import { type Kysely, type SqlBool, sql } from 'kysely'
import type { OutboxRow, Tables } from '../database/tables.ts'
import { DAY_MILLISECONDS } from '../time/time-units.ts'

const RETENTION_MILLISECONDS = 90 * DAY_MILLISECONDS

/** Deletes some of the sent and failed emails after 90 days. @returns the count */
export async function deleteFinishedEmails(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('outbox')
    .where('id', 'in', (emails) =>
      emails
        .selectFrom('outbox')
        .select('id')
        .where('createdAt', '<=', now - RETENTION_MILLISECONDS)
        .where((where) => where.or([where('sentAt', 'is not', null), where('failedAt', 'is not', null)]))
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Deletes some of the emails without a recipient, from requests for unknown email addresses. @returns the count */
export async function deleteEmailsWithoutRecipient(
  database: Kysely<Tables>,
  _now: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('outbox')
    .where('id', 'in', (emails) =>
      emails.selectFrom('outbox').select('id').where('recipient', '=', '').limit(limit).forUpdate().skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

const FAILED_TEXT_MILLISECONDS = DAY_MILLISECONDS

/** Deletes the text of some emails that failed over a day ago. @returns the count */
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

/** The beginning of `lastError` without a response about the email. */
export const NOT_AVAILABLE = 'The mail server is not available'

/**
 * The beginning of `lastError` of an email that the service gave up itself, because its link does not work any more.
 */
export const NOT_SENT = 'Not sent: '

const DISCARDED = sql.lit(`${NOT_SENT}%`)
/** An email that was discarded during its last attempt may have been sent. */
const IS_GIVEN_UP = sql`"failedAt" is not null and "sentAt" is null`
/** A failed email always has a `lastError`, so `not like` never compares with null. */
export const IS_DISCARDED = sql<SqlBool>`${IS_GIVEN_UP} and "lastError" like ${DISCARDED}`
export const IS_FAILED = sql<SqlBool>`${IS_GIVEN_UP} and "lastError" not like ${DISCARDED}`

export function isDiscarded(answer: string | null): boolean {
  return answer?.startsWith(NOT_SENT) ?? false
}

/**
 * @returns the columns of a waiting email that is given up; its lease stays, so that a running attempt stores its
 *   result
 */
export function discardedFor(reason: string, now: number) {
  return { failedAt: now, lastError: NOT_SENT + reason, encryptedEmail: null }
}

/**
 * The server's response about the email, or why the service did not send it. Other errors may contain internal host
 * names, which only the log may have.
 */
export function describeResponse(lastError: string): string {
  if (isDiscarded(lastError)) return lastError
  // The reply line (RFC 5321, section 4.2).
  const reply = /\b[245]\d\d[ -].*/.exec(lastError)?.[0]
  if (reply === undefined) return 'The mail server could not be reached.'
  return lastError.startsWith(NOT_AVAILABLE) ? 'The mail server accepts no emails from this service now.' : reply
}

export type EmailDelivery = Pick<OutboxRow, 'createdAt' | 'lastAttemptAt' | 'sentAt' | 'failedAt' | 'lastError'> & {
  subjectId: string
}

/** The emails about certain subjects, oldest first. */
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
