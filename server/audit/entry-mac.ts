import type { AuditEventRow } from '../database/tables.ts'
import type { Sealer } from '../secrets/sealing.ts'
import type { StoredEntry } from './store.ts'

type Entry = Omit<AuditEventRow, 'mac' | 'sequence' | 'hash'>

/** Proves that an entry was written by a holder of SECRET, and that nothing of it was changed since. */
export function entryMac(sealer: Sealer, entry: Entry): string {
  const { id, createdAt, action, actorId, impersonatedBy, subjectId, organizationId } = entry
  const { ipAddress, userAgent, requestId, details } = entry
  const who = [actorId, impersonatedBy, ipAddress, userAgent, requestId]
  // Events from before windows existed have no such element, and keep their hash.
  const window = entry.openUntil === null ? [] : [entry.openUntil]
  const facts = [id, createdAt, action, subjectId, organizationId, details, ...who, ...window]
  return sealer.mac('audit entry', JSON.stringify(facts))
}

/** Whether an entry is as a holder of SECRET wrote it. */
export function isOurs(sealer: Sealer, { createdAt, ...entry }: StoredEntry): boolean {
  return createdAt !== null && entry.mac === entryMac(sealer, { ...entry, createdAt })
}

/** An entry's link to the one before it; `previousHash` of the first entry is empty. */
export function chainHash(sealer: Sealer, previousHash: string, sequence: number, mac: string): string {
  return sealer.mac('audit chain', JSON.stringify([previousHash, sequence, mac]))
}

export function headMac(sealer: Sealer, sequence: number, hash: string): string {
  return sealer.mac('audit head', JSON.stringify([sequence, hash]))
}

/** Vouches for the last event that the service itself purged. */
export function startMac(sealer: Sealer, sequence: number, hash: string): string {
  return sealer.mac('audit start', JSON.stringify([sequence, hash]))
}
