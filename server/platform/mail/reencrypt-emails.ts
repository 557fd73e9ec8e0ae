import type { Kysely } from 'kysely'
import type { PlatformContext } from '../context.ts'
import { reencrypt } from '../crypto/keyring.ts'
import type { Tables } from '../database/tables.ts'

const EMAILS_AT_ONCE = 200

/** @returns the number of damaged emails, which stay unchanged */
export async function reencryptEmails({ database, keyring }: PlatformContext): Promise<number> {
  let damagedCount = 0
  let lastId = ''
  for (;;) {
    const emails = await listEncryptedEmails(database, lastId)
    for (const { id, encryptedEmail } of emails) {
      if (encryptedEmail === null || keyring.isCurrent(encryptedEmail)) continue
      const renewed = reencrypt(keyring, 'letter', encryptedEmail)
      if (renewed === undefined) damagedCount += 1
      else await saveEncryptedEmail(database, { id, encryptedEmail, renewed })
    }
    if (emails.length < EMAILS_AT_ONCE) return damagedCount
    lastId = emails.at(-1)?.id ?? lastId
  }
}

function listEncryptedEmails(database: Kysely<Tables>, lastId: string) {
  return database
    .selectFrom('outbox')
    .select(['id', 'encryptedEmail'])
    .where('encryptedEmail', 'is not', null)
    .where('id', '>', lastId)
    .orderBy('id')
    .limit(EMAILS_AT_ONCE)
    .execute()
}

/** An email that was sent concurrently stays without its text. */
async function saveEncryptedEmail(
  database: Kysely<Tables>,
  { id, encryptedEmail, renewed }: { id: string; encryptedEmail: string; renewed: string },
): Promise<void> {
  await database
    .updateTable('outbox')
    .set({ encryptedEmail: renewed })
    .where('id', '=', id)
    .where('encryptedEmail', '=', encryptedEmail)
    .execute()
}
