import type { Kysely } from 'kysely'
import { deletePassword } from '../../../core/credentials/delete-password.ts'
import { dropPasskeys } from '../../../core/credentials/drop-passkeys.ts'
import { deleteDevicesOfUser } from '../../../core/devices/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'

/** Whatever opened the account so far was, or may have been, somebody else's. Within the caller's transaction. */
export async function deleteCredentials(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await deletePassword(transaction, userId)
  await dropPasskeys(transaction, userId)
  await deleteDevicesOfUser(transaction, userId)
}
