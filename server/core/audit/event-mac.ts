import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { AuditEventRow } from '../../platform/database/tables.ts'
import type { StoredEvent } from './store.ts'
import type { VerifyMac } from './verify-mac.ts'

type Entry = Omit<AuditEventRow, 'mac' | 'sequence' | 'hash'>
type Place = { sequence: number; hash: string }

/** Proves that an entry was written by a holder of SECRET, and that nothing of it was changed since. */
export function eventMac(keyring: Keyring, entry: Entry): string {
  return keyring.mac('audit entry', eventText(entry))
}

/** Whether an entry is as a holder of SECRET wrote it. */
export function isOurs(verifyMac: VerifyMac, { createdAt, ...entry }: StoredEvent): boolean {
  return createdAt !== null && verifyMac('audit entry', eventText({ ...entry, createdAt }), entry.mac)
}

function eventText(entry: Entry): string {
  const { id, createdAt, action, actorId, impersonatedBy, subjectId, organizationId } = entry
  const { ipAddress, userAgent, requestId, details } = entry
  const who = [actorId, impersonatedBy, ipAddress, userAgent, requestId]
  // Events from before windows existed have no such element, and keep their hash.
  const window = entry.openUntil === null ? [] : [entry.openUntil]
  return JSON.stringify([id, createdAt, action, subjectId, organizationId, details, ...who, ...window])
}

/** An entry's link to the one before it; `previousHash` of the first entry is empty. */
export function chainHash(keyring: Keyring, previousHash: string, sequence: number, mac: string): string {
  return keyring.mac('audit chain', chainText(previousHash, sequence, mac))
}

/** Whether an entry follows from the one before it. */
export function isLinked(verifyMac: VerifyMac, previousHash: string, entry: StoredEvent): boolean {
  return verifyMac('audit chain', chainText(previousHash, entry.sequence ?? 0, entry.mac), entry.hash ?? '')
}

function chainText(previousHash: string, sequence: number, mac: string): string {
  return JSON.stringify([previousHash, sequence, mac])
}

/** Vouches for the end of the chain (`audit head`), or for the last event that the service itself purged (`audit start`). */
export function placeMac(keyring: Keyring, purpose: 'audit head' | 'audit start', { sequence, hash }: Place): string {
  return keyring.mac(purpose, JSON.stringify([sequence, hash]))
}

export function isPlaceOurs(
  verifyMac: VerifyMac,
  purpose: 'audit head' | 'audit start',
  { sequence, hash, mac }: Place & { mac: string },
): boolean {
  return verifyMac(purpose, JSON.stringify([sequence, hash]), mac)
}
