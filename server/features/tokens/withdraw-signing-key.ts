import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import type { SigningKeyRow } from '../../platform/database/tables.ts'
import { chooseSigningKey } from './choose-signing-key.ts'
import { createSigningKey } from './create-signing-key.ts'
import { PUBLISHED_BEFORE_SIGNING_MILLISECONDS, publishKey } from './publication.ts'
import { findKey, findNewestKey, listPublishedKeys, lockKeysForUpdate, markWithdrawn } from './store.ts'

export type Withdrawal =
  | { outcome: 'not found' }
  | { outcome: 'already withdrawn' }
  /** `replacement` is undefined for an old key. */
  | { outcome: 'withdrawn'; replacement: Pick<SigningKeyRow, 'id' | 'activeAt'> | undefined }

/** From the next request on, no process publishes the key or signs with it. */
export async function withdrawSigningKey(context: Context, id: string): Promise<Withdrawal> {
  const { database, now } = context
  const found = await findKey(database, id)
  if (!found) return { outcome: 'not found' }
  if (found.withdrawnAt !== null) return { outcome: 'already withdrawn' }
  const generation = ((await findNewestKey(database))?.generation ?? 0) + 1
  const fresh = await createSigningKey(context, { generation, activeAt: now() })
  const withdrawal = await inTransaction(
    context,
    OPERATOR,
    async ({ transaction, record }): Promise<Withdrawal | undefined> => {
      const locked = (await lockKeysForUpdate(transaction)).find((key) => key.id === id)
      if (locked?.withdrawnAt !== null) return { outcome: 'already withdrawn' }
      const activeAt = timeOfReplacement(await listPublishedKeys(transaction, now()), id, now())
      const replacement = activeAt === undefined ? undefined : { ...fresh, activeAt }
      if (replacement && !(await publishKey(transaction, now(), replacement))) return undefined
      await markWithdrawn(transaction, id, now())
      await record({ action: 'signing-key.withdrawn', subjectId: id })
      if (replacement) await record({ action: 'signing-key.created', subjectId: replacement.id })
      return { outcome: 'withdrawn', replacement }
    },
  )
  // Another process has created a key of the same generation.
  return withdrawal ?? withdrawSigningKey(context, id)
}

/** The signing key is replaced immediately, the next key after the time of publication, and an old key not at all. */
function timeOfReplacement(published: SigningKeyRow[], id: string, now: number): number | undefined {
  const signing = chooseSigningKey(published, now)
  const withdrawn = published.find((key) => key.id === id)
  if (!signing || !withdrawn || withdrawn.generation < signing.generation) return undefined
  return withdrawn.id === signing.id ? now : now + PUBLISHED_BEFORE_SIGNING_MILLISECONDS
}
