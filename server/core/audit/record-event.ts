import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { AuditAction } from './actions.ts'
import type { Actor } from './actor.ts'
import { eventMac } from './event-mac.ts'
import { insertEvent } from './store.ts'

export interface AuditEvent {
  action: AuditAction
  subjectId?: string
  organizationId?: string
  /** Plain facts; never a secret. */
  details?: Record<string, string | number | boolean | null>
}

/**
 * Writes down who did what, in the transaction that does it: the record and the deed stand or fall together. The entry
 * is linked into the chain a moment later, see `chain.ts`.
 */
export async function recordEvent(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  actor: Actor,
  { action, subjectId, organizationId, details = {} }: AuditEvent,
): Promise<void> {
  const entry = {
    id: newId('evt', context),
    createdAt: context.now(),
    action,
    ...actor,
    subjectId: subjectId ?? null,
    organizationId: organizationId ?? null,
    details: JSON.stringify(details),
    openUntil: null,
  }
  await insertEvent(transaction, { ...entry, mac: eventMac(context.keyring, entry) })
}
