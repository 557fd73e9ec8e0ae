import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { createSigningKey } from './create-signing-key.ts'
import { PUBLISHED_BEFORE_SIGNING_MILLISECONDS, publishKey } from './publication.ts'
import { findNewestKey, listPublishedKeys } from './store.ts'

export interface KeyRotation {
  next: Pick<SigningKeyRow, 'id' | 'activeAt'>
  /** False when a rotation has already begun with this key. */
  isNew: boolean
}

/** Tokens verify before, during and after the rotation. Only one of concurrent rotations creates the key. */
export async function rotateSigningKey(context: Context): Promise<KeyRotation> {
  const { database, now } = context
  const newest = await findNewestKey(database)
  const pending = findPending(await listPublishedKeys(database, now()), now())
  if (pending) return { next: pending, isNew: false }
  const activeAt = newest ? now() + PUBLISHED_BEFORE_SIGNING_MILLISECONDS : now()
  const key = await createSigningKey(context, { generation: (newest?.generation ?? 0) + 1, activeAt })

  const isNew = await inTransaction(context, OPERATOR, async ({ transaction, record }) => {
    if (!(await publishKey(transaction, now(), key))) return false
    await record({ action: 'signing-key.created', subjectId: key.id })
    return true
  })
  return isNew ? { next: key, isNew } : rotateSigningKey(context)
}

/** Ignores the next key of a clock that was ahead, because it would delay the rotation. */
function findPending(published: SigningKeyRow[], now: number): SigningKeyRow | undefined {
  const newest = published.at(-1)
  if (!newest || newest === chooseSigningKey(published, now)) return undefined
  return isLive(newest.activeAt, PUBLISHED_BEFORE_SIGNING_MILLISECONDS, now) ? newest : undefined
}
