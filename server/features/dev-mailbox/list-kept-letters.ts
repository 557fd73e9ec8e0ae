import type { Context } from '../../core/context.ts'
import type { RenderedLetter } from '../../platform/mail/letter.ts'
import { readEmail, UnreadableEmailError } from '../../platform/mail/read-email.ts'

export interface KeptLetter extends RenderedLetter {
  id: string
  to: string
  createdAt: number
}

const KEPT_LETTERS_SHOWN = 200

/** The letters that wait while there is no mail server, newest first: only for the local mailbox. */
export async function listKeptLetters(context: Context): Promise<KeptLetter[]> {
  const rows = await context.database
    .selectFrom('outbox')
    .select(['id', 'recipient', 'sealedLetter', 'createdAt'])
    .where('sealedLetter', 'is not', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(KEPT_LETTERS_SHOWN)
    .execute()
  return rows.flatMap(({ id, recipient, sealedLetter, createdAt }) => {
    const letter = readEmailOrNothing(context, sealedLetter ?? '')
    return letter ? [{ id, to: recipient, createdAt, ...letter }] : []
  })
}

function readEmailOrNothing(context: Context, sealedLetter: string): RenderedLetter | undefined {
  try {
    return readEmail(context, sealedLetter)
  } catch (error) {
    if (error instanceof UnreadableEmailError) return undefined
    throw error
  }
}
