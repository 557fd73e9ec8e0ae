import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables, UserRow } from '../../platform/database/tables.ts'
import { hasConsents } from '../oauth-consents/store.ts'
import type { RemainingAccess } from './new-password-texts.ts'
import { listPasskeysOfUser } from './passkey-store.ts'

interface AccessWithPasskeys extends RemainingAccess {
  passkeys: PasskeyRow[]
}

export const NO_ACCESS: AccessWithPasskeys = { passkeys: [], hasApps: false }

export async function readRemainingAccess(database: Kysely<Tables>, userId: string): Promise<AccessWithPasskeys> {
  const passkeys = await listPasskeysOfUser(database, userId)
  return { passkeys, hasApps: await hasConsents(database, userId) }
}

/** Predicts the access that remains after a recovery: an unverified user loses all of it. */
export async function readAccessAfterRecovery(
  database: Kysely<Tables>,
  { id, emailVerified }: Pick<UserRow, 'id' | 'emailVerified'>,
): Promise<AccessWithPasskeys> {
  return emailVerified === 1 ? readRemainingAccess(database, id) : NO_ACCESS
}
