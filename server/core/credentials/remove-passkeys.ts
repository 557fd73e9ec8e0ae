import type { PasskeyRow } from '../../platform/database/tables.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { listPasskeysOf, removePasskey } from './passkey-store.ts'

/**
 * Removes some of a user's passkeys, in a transaction that has locked the user. The id of a passkey that another user
 * has, or that is gone, is ignored.
 * @returns the passkeys that remain
 */
export async function removePasskeys(unit: UnitOfWork, userId: string, ids: string[]): Promise<PasskeyRow[]> {
  const { transaction } = unit
  const passkeys = await listPasskeysOf(transaction, userId)
  for (const { id, name } of passkeys.filter((passkey) => ids.includes(passkey.id))) {
    await removePasskey(transaction, userId, id)
    const details = { passkeyId: id, name }
    await unit.record({ action: 'passkey.deleted', subjectId: userId, details })
  }
  return passkeys.filter((passkey) => !ids.includes(passkey.id))
}
