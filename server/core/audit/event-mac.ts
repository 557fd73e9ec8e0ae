import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { AuditEventRow } from '../../platform/database/tables.ts'
import type { ChainEnd, ChainPosition } from './chain-ends-store.ts'
import type { VerifyMac } from './chain-verifier.ts'
import type { StoredEvent } from './store.ts'

type UnlinkedEvent = Omit<AuditEventRow, 'mac' | 'sequence' | 'hash'>

export function eventMac(keyring: Keyring, event: UnlinkedEvent): string {
  return keyring.mac('audit entry', eventText(event))
}

export function hasValidMac(verifyMac: VerifyMac, { createdAt, ...event }: StoredEvent): boolean {
  return createdAt !== null && verifyMac('audit entry', eventText({ ...event, createdAt }), event.mac)
}

function eventText(event: UnlinkedEvent): string {
  const { id, createdAt, action, actorId, impersonatedBy, subjectId, organizationId } = event
  const { ipAddress, userAgent, requestId, details } = event
  const who = [actorId, impersonatedBy, ipAddress, userAgent, requestId]
  // Early events have no window, and their MAC must stay valid.
  const window = event.openUntil === null ? [] : [event.openUntil]
  return JSON.stringify([id, createdAt, action, subjectId, organizationId, details, ...who, ...window])
}

export function chainHash(keyring: Keyring, previousHash: string, sequence: number, mac: string): string {
  return keyring.mac('audit chain', chainText(previousHash, sequence, mac))
}

export function hasValidHash(verifyMac: VerifyMac, previousHash: string, event: StoredEvent): boolean {
  return verifyMac('audit chain', chainText(previousHash, event.sequence ?? 0, event.mac), event.hash ?? '')
}

function chainText(previousHash: string, sequence: number, mac: string): string {
  return JSON.stringify([previousHash, sequence, mac])
}

export function chainEndMac(
  keyring: Keyring,
  purpose: 'audit head' | 'audit start',
  { sequence, hash }: ChainPosition,
): string {
  return keyring.mac(purpose, JSON.stringify([sequence, hash]))
}

export function hasValidChainEndMac(
  verifyMac: VerifyMac,
  purpose: 'audit head' | 'audit start',
  { sequence, hash, mac }: ChainEnd,
): boolean {
  return verifyMac(purpose, JSON.stringify([sequence, hash]), mac)
}
