import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables } from '../../platform/database/tables.ts'
import { hasConsents } from '../oauth-consents/store.ts'
import type { RemainingAccess } from './new-password-texts.ts'
import { listPasskeysOfUser } from './passkey-store.ts'

export async function readRemainingAccess(
  database: Kysely<Tables>,
  userId: string,
): Promise<RemainingAccess & { passkeys: PasskeyRow[] }> {
  const passkeys = await listPasskeysOfUser(database, userId)
  return { passkeys, hasApps: await hasConsents(database, userId) }
}
