import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { makeSigningKey } from './make-signing-key.ts'
import { PUBLISHED_BEFORE_SIGNING_MILLISECONDS, publishKey } from './publication.ts'
import { findNewestKey, listPublishedKeys } from './store.ts'

export interface Rotation {
  next: Pick<SigningKeyRow, 'id' | 'activeAt'>
  /** False: a rotation is under way already, and this is its key. */
  isNew: boolean
}

/**
 * Makes the key that signs next. No token of before, of concurrently or of afterwards fails to verify. Of rotations at
 * once, in whatever process, one makes the key, and the others find it.
 */
export async function rotateSigningKey(context: Context): Promise<Rotation> {
  const { database, now } = context
  const newest = await findNewestKey(database)
  const pending = findPending(await listPublishedKeys(database, now()), now())
  if (pending) return { next: pending, isNew: false }
  const activeAt = newest ? now() + PUBLISHED_BEFORE_SIGNING_MILLISECONDS : now()
  const key = await makeSigningKey(context, { generation: (newest?.generation ?? 0) + 1, activeAt })

  const isNew = await inTransaction(context, OPERATOR, async (unit) => {
    const { transaction } = unit
    if (!(await publishKey(transaction, now(), key))) return false
    await unit.record({ action: 'signing-key.created', subjectId: key.id })
    return true
  })
  return isNew ? { next: key, isNew } : rotateSigningKey(context)
}

/** A key that is to sign later than any rotation allows was made while the clock was ahead: it is not waited for. */
function findPending(published: SigningKeyRow[], now: number): SigningKeyRow | undefined {
  const newest = published.at(-1)
  if (!newest || newest === chooseSigningKey(published, now)) return undefined
  return newest.activeAt > now && newest.activeAt <= now + PUBLISHED_BEFORE_SIGNING_MILLISECONDS ? newest : undefined
}
