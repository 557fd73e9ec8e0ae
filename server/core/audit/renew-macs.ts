import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { eventMac, isOurs, isPlaceOurs, placeMac } from './event-mac.ts'
import { listUnchainedAfter, lockPlacesForUpdate, type StoredEvent, savePlaceMac, saveUnlinkedMac } from './store.ts'

const ENTRIES_AT_ONCE = 1_000

/** Vouches under SECRET for the events that are not linked yet and were written under PREVIOUS_SECRET. */
export async function renewUnlinkedMacs({ database, keyring }: PlatformContext): Promise<void> {
  let last: StoredEvent | undefined
  do {
    const entries: StoredEvent[] = await listUnchainedAfter(database, last, ENTRIES_AT_ONCE)
    for (const entry of entries) {
      // An event that is not ours stays as it is: to renew it would be to vouch for it.
      if (!isOurs(keyring.verifyMac, entry)) continue
      const newMac = eventMac(keyring, { ...entry, createdAt: Number(entry.createdAt) })
      if (newMac !== entry.mac) await saveUnlinkedMac(database, { id: entry.id, mac: entry.mac, newMac })
    }
    last = entries.at(-1)
  } while (last)
}

/**
 * Vouches under SECRET for both ends of the chain, and keeps them from moving until the transaction ends.
 * @returns the sequence of the last linked event
 * @throws SecretError when an end was changed by another hand
 */
export async function renewPlaceMacs(transaction: Kysely<Tables>, { keyring }: PlatformContext): Promise<number> {
  const { head, start } = await lockPlacesForUpdate(transaction)
  if (head && !isPlaceOurs(keyring.verifyMac, 'audit head', head)) throw new SecretError(TOUCHED)
  if (start && !isPlaceOurs(keyring.verifyMac, 'audit start', start)) throw new SecretError(TOUCHED)
  if (head) await savePlaceMac(transaction, 'auditHead', placeMac(keyring, 'audit head', head))
  if (start) await savePlaceMac(transaction, 'auditStart', placeMac(keyring, 'audit start', start))
  return head?.sequence ?? 0
}

const TOUCHED =
  'The audit log was tampered with: find out what happened with npm run accounts -- audit verify, then rotate SECRET.'
