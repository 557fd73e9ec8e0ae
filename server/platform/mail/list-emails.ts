import { type Kysely, type SqlBool, sql } from 'kysely'
import type { OutboxRow, Tables } from '../database/tables.ts'
import type { Page } from '../http/paging.ts'
import { IS_DISCARDED, IS_FAILED, isDiscarded } from './discarded-emails.ts'
import { isDue } from './due-emails.ts'
import { describeResponse } from './email-deliveries.ts'

export const EMAIL_STATUSES = ['queued', 'delayed', 'sent', 'failed', 'discarded'] as const
export type EmailStatus = (typeof EMAIL_STATUSES)[number]

export interface EmailFilter {
  recipient?: string
  kind?: string
  status?: EmailStatus
}

type Stored =
  | ('id' | 'kind' | 'recipient' | 'subjectId' | 'organizationId' | 'attempts' | 'createdAt')
  | ('lastAttemptAt' | 'nextAttemptAt' | 'sentAt' | 'failedAt')

export type ListedEmail = Pick<OutboxRow, Stored> & {
  status: EmailStatus
  /** The response of the mail server; null before the first. */
  answer: string | null
  canRetry: boolean
}

/** Newest first. Public forms that sent nothing leave emails without a recipient. */
export async function listEmails(
  database: Kysely<Tables>,
  now: number,
  { recipient, kind, status }: EmailFilter,
  { limit, offset }: Page,
): Promise<ListedEmail[]> {
  let query = database
    .selectFrom('outbox')
    .select(['id', 'kind', 'recipient', 'subjectId', 'organizationId', 'attempts', 'createdAt', 'lastAttemptAt'])
    .select(['nextAttemptAt', 'sentAt', 'failedAt', 'lastError', 'encryptedEmail'])
    // A literal, because SQLite uses no partial index for a parameter.
    .where(sql<SqlBool>`recipient <> ''`)
    .where(isDue('createdAt', now))
  if (recipient !== undefined) query = query.where('recipient', '=', recipient)
  if (status !== undefined) query = query.where(CONDITIONS[status])
  if (kind !== undefined) query = query.where(kindIs(kind, status))
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute()
  return rows.map(({ lastError, encryptedEmail, ...email }) => ({
    ...email,
    status: statusOf({ ...email, lastError }),
    answer: lastError === null ? null : describeResponse(lastError),
    canRetry: email.failedAt !== null && encryptedEmail !== null,
  }))
}

const UNSENT = sql<SqlBool>`"sentAt" is null and "failedAt" is null`
const CONDITIONS = {
  queued: sql<SqlBool>`${UNSENT} and "lastError" is null`,
  delayed: sql<SqlBool>`${UNSENT} and "lastError" is not null`,
  sent: sql<SqlBool>`"sentAt" is not null`,
  failed: IS_FAILED,
  discarded: IS_DISCARDED,
} satisfies Record<EmailStatus, unknown>

/** Unsent and failed emails are few and have an index of their own, so the index of kinds must not be used for them. */
function kindIs(kind: string, status: EmailStatus | undefined) {
  const isRare = status !== undefined && status !== 'sent'
  return isRare ? sql<SqlBool>`kind || '' = ${kind}` : sql<SqlBool>`kind = ${kind}`
}

function statusOf({ sentAt, failedAt, lastError }: Pick<OutboxRow, 'sentAt' | 'failedAt' | 'lastError'>): EmailStatus {
  if (sentAt !== null) return 'sent'
  if (failedAt !== null) return isDiscarded(lastError) ? 'discarded' : 'failed'
  return lastError === null ? 'queued' : 'delayed'
}
