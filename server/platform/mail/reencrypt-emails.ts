import type { Kysely } from 'kysely'
import type { PlatformContext } from '../context.ts'
import type { Tables } from '../database/tables.ts'

const EMAILS_AT_ONCE = 200

/**
 * Encrypts every stored email under SECRET that was encrypted under PREVIOUS_SECRET.
 * @returns how many are damaged and stay as they are
 */
export async function reencryptEmails({ database, sealer }: PlatformContext): Promise<number> {
  let damagedCount = 0
  let lastId = ''
  for (;;) {
    const emails = await listEmails(database, lastId)
    for (const { id, sealedLetter } of emails) {
      if (sealedLetter === null || sealer.isCurrent(sealedLetter)) continue
      const renewed = reencrypt(sealer, sealedLetter)
      if (renewed === undefined) damagedCount += 1
      else await saveSealedLetter(database, { id, sealedLetter, renewed })
    }
    if (emails.length < EMAILS_AT_ONCE) return damagedCount
    lastId = emails.at(-1)?.id ?? lastId
  }
}

function reencrypt(sealer: PlatformContext['sealer'], sealedLetter: string): string | undefined {
  try {
    return sealer.seal('letter', sealer.open('letter', sealedLetter))
  } catch {
    return undefined
  }
}

function listEmails(database: Kysely<Tables>, lastId: string) {
  return database
    .selectFrom('outbox')
    .select(['id', 'sealedLetter'])
    .where('sealedLetter', 'is not', null)
    .where('id', '>', lastId)
    .orderBy('id')
    .limit(EMAILS_AT_ONCE)
    .execute()
}

/** An email that was sent meanwhile has no text any more, and gets none back. */
async function saveSealedLetter(
  database: Kysely<Tables>,
  { id, sealedLetter, renewed }: { id: string; sealedLetter: string; renewed: string },
): Promise<void> {
  await database
    .updateTable('outbox')
    .set({ sealedLetter: renewed })
    .where('id', '=', id)
    .where('sealedLetter', '=', sealedLetter)
    .execute()
}
