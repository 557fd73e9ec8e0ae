import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { deleteDevicesOfUser } from '../devices/store.ts'
import { dropPasskeys } from '../passkeys/drop-passkeys.ts'
import { removePassword } from '../passwords/remove-password.ts'

/** Whatever opened the account so far was, or may have been, somebody else's. Within the caller's transaction. */
export async function forgetCredentials(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await removePassword(transaction, userId)
  await dropPasskeys(transaction, userId)
  await deleteDevicesOfUser(transaction, userId)
}
