import type { Context } from '../context.ts'
import type { RenderedLetter } from '../mail/letter.ts'

export interface KeptLetter extends RenderedLetter {
  id: string
  to: string
  createdAt: number
}

const KEPT_LETTERS_SHOWN = 200

/** The letters that wait while there is no mail server, newest first: only for the local mailbox. */
export async function listKeptLetters({ database, sealer }: Context): Promise<KeptLetter[]> {
  const rows = await database
    .selectFrom('outbox')
    .select(['id', 'recipient', 'sealedLetter', 'createdAt'])
    .where('sealedLetter', 'is not', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(KEPT_LETTERS_SHOWN)
    .execute()
  return rows.map(({ id, recipient, sealedLetter, createdAt }) => {
    const letter = JSON.parse(sealer.open('letter', sealedLetter ?? '')) as RenderedLetter
    return { id, to: recipient, createdAt, ...letter }
  })
}
