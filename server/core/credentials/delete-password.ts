import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { PASSWORD_PROVIDER } from './password-store.ts'

/** Takes a user's password away, within the caller's transaction. A new one is set by a mailed link. */
export async function deletePassword(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction
    .deleteFrom('accounts')
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .execute()
}
