import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { lockChainEndsForUpdate, saveChainEndMac } from './chain-ends-store.ts'
import { chainEndMac, eventMac, hasValidChainEndMac, hasValidMac } from './event-mac.ts'
import { listUnlinkedAfter, type StoredEvent, saveUnlinkedMac } from './store.ts'

const BATCH_SIZE = 1_000

/** Renews the MACs of unlinked events under SECRET. */
export async function renewUnlinkedMacs({ database, keyring }: PlatformContext): Promise<void> {
  let last: StoredEvent | undefined
  do {
    const events: StoredEvent[] = await listUnlinkedAfter(database, last, BATCH_SIZE)
    for (const event of events) {
      // A new MAC would certify a forged event.
      if (!hasValidMac(keyring.verifyMac, event)) continue
      const newMac = eventMac(keyring, { ...event, createdAt: Number(event.createdAt) })
      if (newMac !== event.mac) await saveUnlinkedMac(database, { id: event.id, mac: event.mac, newMac })
    }
    last = events.at(-1)
  } while (last)
}

/**
 * Renews the MACs of both ends of the chain, and locks them until the end of the transaction.
 * @returns the sequence of the last linked event
 * @throws SecretError when an end has an invalid MAC
 */
export async function renewChainEndMacs(transaction: Kysely<Tables>, { keyring }: PlatformContext): Promise<number> {
  const { head, start } = await lockChainEndsForUpdate(transaction)
  if (head && !hasValidChainEndMac(keyring.verifyMac, 'audit head', head)) throw new SecretError(TAMPERED)
  if (start && !hasValidChainEndMac(keyring.verifyMac, 'audit start', start)) throw new SecretError(TAMPERED)
  if (head) await saveChainEndMac(transaction, 'auditHead', chainEndMac(keyring, 'audit head', head))
  if (start) await saveChainEndMac(transaction, 'auditStart', chainEndMac(keyring, 'audit start', start))
  return head?.sequence ?? 0
}

const TAMPERED =
  'The audit log was tampered with: find out what happened with npm run accounts -- audit verify, then rotate SECRET.'
