import { OPERATOR } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { SigningKeyRow } from '../database/tables.ts'
import { makeSigningKey } from './make-signing-key.ts'
import { TOKEN_LIFETIME_SECONDS } from './mint-token.ts'
import { findNewestKey, insertKey, retireOlderKeys } from './store.ts'

/** Verifiers may keep the published keys for so long. */
export const KEYS_MAX_AGE_SECONDS = 300
/** A new key is published for so long before it signs: every verifier has asked again by then, with time to spare. */
const PUBLISHED_BEFORE_SIGNING_MILLISECONDS = 2 * KEYS_MAX_AGE_SECONDS * 1000
/** The last token of the old key, and what clocks may differ by. */
const PUBLISHED_AFTER_SIGNING_MILLISECONDS = (TOKEN_LIFETIME_SECONDS + 60) * 1000

export interface Rotation {
  next: Pick<SigningKeyRow, 'id' | 'activeAt'>
  /** False: a rotation is under way already, and this is its key. */
  isNew: boolean
}

/**
 * Makes the key that signs next. No token of before, of meanwhile or of afterwards fails to verify. Of rotations at
 * once, in whatever process, one makes the key, and the others find it.
 */
export async function rotateSigningKey(context: Context): Promise<Rotation> {
  const { database, now } = context
  const newest = await findNewestKey(database)
  if (newest && newest.activeAt > now()) return { next: newest, isNew: false }
  const activeAt = newest ? now() + PUBLISHED_BEFORE_SIGNING_MILLISECONDS : now()
  const key = await makeSigningKey(context, { generation: (newest?.generation ?? 0) + 1, activeAt })

  const isNew = await database.transaction().execute(async (transaction) => {
    if (!(await insertKey(transaction, key))) return false
    await retireOlderKeys(transaction, key.generation, activeAt + PUBLISHED_AFTER_SIGNING_MILLISECONDS)
    await recordEvent(transaction, context, OPERATOR, { action: 'signing-key.created', subjectId: key.id })
    return true
  })
  return isNew ? { next: key, isNew } : rotateSigningKey(context)
}
