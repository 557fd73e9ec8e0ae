import type { Kysely } from 'kysely'
import { dropPasskeys } from '../../../core/credentials/drop-passkeys.ts'
import { removePassword } from '../../../core/credentials/remove-password.ts'
import { deleteDevicesOfUser } from '../../../core/devices/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'

/** Whatever opened the account so far was, or may have been, somebody else's. Within the caller's transaction. */
export async function forgetCredentials(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await removePassword(transaction, userId)
  await dropPasskeys(transaction, userId)
  await deleteDevicesOfUser(transaction, userId)
}
