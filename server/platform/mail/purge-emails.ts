import type { Kysely } from 'kysely'
import { deleteSome } from '../database/delete-some.ts'
import type { Tables } from '../database/tables.ts'
import { DAY_MILLISECONDS } from '../time/time-units.ts'

const RETENTION_MILLISECONDS = 90 * DAY_MILLISECONDS
const FAILED_TEXT_MILLISECONDS = DAY_MILLISECONDS

/** Deletes some of the sent and failed emails after 90 days. @returns the number of rows */
export function deleteFinishedEmails(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const emails = database
    .selectFrom('outbox')
    .select('id')
    .where('createdAt', '<=', now - RETENTION_MILLISECONDS)
    .where((where) => where.or([where('sentAt', 'is not', null), where('failedAt', 'is not', null)]))
  return deleteSome(database, 'outbox', 'id', emails, limit)
}

/** Deletes some of the emails without a recipient, from public forms that sent nothing. @returns the number of rows */
export function deleteEmailsWithoutRecipient(database: Kysely<Tables>, _now: number, limit: number): Promise<number> {
  const emails = database.selectFrom('outbox').select('id').where('recipient', '=', '')
  return deleteSome(database, 'outbox', 'id', emails, limit)
}

/** Deletes the text of some emails that failed over a day ago. @returns the number of rows */
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
