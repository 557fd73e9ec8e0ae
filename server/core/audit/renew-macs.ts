import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { type ChainEnds, lockChainEndsForUpdate, readChainEnds, saveChainEndMac } from './chain-ends-store.ts'
import { chainEndMac, eventMac, hasValidMac } from './event-mac.ts'
import { findChainEndsProblem } from './find-chain-ends-problem.ts'
import { listUnlinkedAfter, type StoredEvent, saveUnlinkedMac } from './store.ts'

const BATCH_SIZE = 1_000

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

/** Locks both ends of the chain. @returns the last linked sequence @throws SecretError when an end is invalid */
export async function renewChainEndMacs(transaction: Kysely<Tables>, context: PlatformContext): Promise<number> {
  await lockChainEndsForUpdate(transaction)
  const { head, start } = await requireValidChainEnds(transaction, context)
  const { keyring } = context
  if (head) await saveChainEndMac(transaction, 'auditHead', chainEndMac(keyring, 'audit head', head))
  if (start) await saveChainEndMac(transaction, 'auditStart', chainEndMac(keyring, 'audit start', start))
  return head?.sequence ?? 0
}

/** Under a new SECRET, the ends of a backup are invalid, so removed events can't be restored. @throws SecretError */
export async function requireValidChainEnds(database: Kysely<Tables>, context: PlatformContext): Promise<ChainEnds> {
  const ends = await readChainEnds(database)
  const problem = findChainEndsProblem(context, ends)
  if (problem) throw new SecretError(`The audit log was tampered with. ${problem} ${TAMPERED_ADVICE}`)
  return ends
}

const TAMPERED_ADVICE =
  'A replacement of SECRET would make that permanent: first follow "A chain with a changed end" in docs/audit.md.'
