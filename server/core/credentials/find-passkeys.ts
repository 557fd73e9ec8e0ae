import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables } from '../../platform/database/tables.ts'
import { listPasskeysOf } from './passkey-store.ts'

const NEW_MILLISECONDS = 30 * 24 * 3_600_000

/** A user's passkeys, in the order in which they were added. */
export function findPasskeys(database: Kysely<Tables>, userId: string): Promise<PasskeyRow[]> {
  return listPasskeysOf(database, userId)
}

/** Whether a user who recovers the account should look twice at a passkey: an intruder may have added it lately. */
export function isNewPasskey({ createdAt }: Pick<PasskeyRow, 'createdAt'>, now: number): boolean {
  return now - createdAt < NEW_MILLISECONDS
}
