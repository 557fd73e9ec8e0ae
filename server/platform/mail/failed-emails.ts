import { type Kysely, type SqlBool, sql } from 'kysely'
import type { OutboxRow, Tables } from '../database/tables.ts'
import { IS_FAILED } from './discarded-emails.ts'
import { isDue } from './due-emails.ts'

export type UnsentEmail = Pick<
  OutboxRow,
  'id' | 'kind' | 'recipient' | 'createdAt' | 'attempts' | 'failedAt' | 'lastError'
> & {
  /** Whether the text is stored, so that the email can be sent again. */
  hasText: boolean
}

/** Newest first, without emails that are sent later or were discarded. */
export async function listUnsentEmails(
  database: Kysely<Tables>,
  { now, isFailed, limit }: { now: number; isFailed: boolean; limit: number },
): Promise<UnsentEmail[]> {
  const rows = await database
    .selectFrom('outbox')
    .select(['id', 'kind', 'recipient', 'createdAt', 'attempts', 'failedAt', 'lastError', 'encryptedEmail'])
    .where('sentAt', 'is', null)
    .where(isFailed ? IS_FAILED : sql<SqlBool>`"failedAt" is null`)
    // Public forms that sent nothing leave an email without a recipient.
    .where('recipient', '<>', '')
    .where(isDue('createdAt', now))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ encryptedEmail, ...email }) => ({ ...email, hasText: encryptedEmail !== null }))
}

export async function countFailedEmails(database: Kysely<Tables>, since: number, maximum: number): Promise<number> {
  const { count } = await database
    .selectFrom(({ selectFrom }) =>
      selectFrom('outbox')
        .select('id')
        .where('failedAt', '>', since)
        .where('recipient', '<>', '')
        .where(IS_FAILED)
        .limit(maximum)
        .as('failed'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Without `id`, all failed emails with a stored text. @returns their ids */
export async function requeueFailedEmails(
  transaction: Kysely<Tables>,
  now: number,
  id: string | undefined,
): Promise<string[]> {
  let update = transaction
    .updateTable('outbox')
    .set({ failedAt: null, attempts: 0, nextAttemptAt: now, leasedUntil: null })
    .where('failedAt', 'is not', null)
    .where('encryptedEmail', 'is not', null)
  if (id !== undefined) update = update.where('id', '=', id)
  const emails = await update.returning('id').execute()
  return emails.map((email) => email.id)
}
