import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { removePasskeysOf } from './passkey-store.ts'

/** Takes all passkeys from a user, within the caller's transaction. The caller's own audit event says why. */
export function dropPasskeys(transaction: Kysely<Tables>, userId: string): Promise<void> {
  return removePasskeysOf(transaction, userId)
}
