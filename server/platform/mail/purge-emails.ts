import type { Kysely } from 'kysely'
import { deleteSome } from '../database/delete-some.ts'
import type { Tables } from '../database/tables.ts'
import { DAY_MILLISECONDS } from '../time/time-units.ts'

const RETENTION_MILLISECONDS = 90 * DAY_MILLISECONDS
const FAILED_TEXT_MILLISECONDS = DAY_MILLISECONDS

export function deleteFinishedEmails(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const emails = database
    .selectFrom('outbox')
    .select('id')
    .where('createdAt', '<=', now - RETENTION_MILLISECONDS)
    .where((where) => where.or([where('sentAt', 'is not', null), where('failedAt', 'is not', null)]))
  return deleteSome(database, 'outbox', 'id', emails, limit)
}

/** Public forms that sent nothing leave emails without a recipient. */
export function deleteEmailsWithoutRecipient(database: Kysely<Tables>, _now: number, limit: number): Promise<number> {
  const emails = database.selectFrom('outbox').select('id').where('recipient', '=', '')
  return deleteSome(database, 'outbox', 'id', emails, limit)
}

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
