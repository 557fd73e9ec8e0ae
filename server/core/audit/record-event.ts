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
  /** Never a secret. */
  details?: Record<string, string | number | boolean | null>
}

/**
 * Inserts an audit event in the transaction of its change. `chain.ts` links it later.
 */
export async function recordEvent(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  actor: Actor,
  { action, subjectId, organizationId, details = {} }: AuditEvent,
): Promise<void> {
  const event = {
    id: newId('evt', context),
    createdAt: context.now(),
    action,
    ...actor,
    subjectId: subjectId ?? null,
    organizationId: organizationId ?? null,
    details: JSON.stringify(details),
    openUntil: null,
  }
  await insertEvent(transaction, { ...event, mac: eventMac(context.keyring, event) })
}
