import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables } from '../../platform/database/tables.ts'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import { listPasskeysOf, removePasskey } from './passkey-store.ts'

/**
 * Removes some of a user's passkeys, in a transaction that has locked the user. The id of a passkey that another user
 * has, or that is gone, is ignored.
 * @returns the passkeys that remain
 */
export async function removePasskeys(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  userId: string,
  ids: string[],
): Promise<PasskeyRow[]> {
  const passkeys = await listPasskeysOf(transaction, userId)
  for (const { id, name } of passkeys.filter((passkey) => ids.includes(passkey.id))) {
    await removePasskey(transaction, userId, id)
    const details = { passkeyId: id, name }
    await recordEvent(transaction, context, actor, { action: 'passkey.deleted', subjectId: userId, details })
  }
  return passkeys.filter((passkey) => !ids.includes(passkey.id))
}
