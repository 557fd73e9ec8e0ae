import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import type { AuditAction } from './actions.ts'
import { type Actor, toActorColumns } from './actor.ts'
import { eventMac } from './event-mac.ts'
import { insertEvent, insertEvents } from './store.ts'

export interface AuditEvent {
  action: AuditAction
  subjectId?: string
  organizationId?: string
  /** Never a secret. */
  details?: Record<string, string | number | boolean | null>
}

/** Inserts an audit event in the transaction of its change. `chain.ts` links it later. */
export async function recordEvent(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  actor: Actor,
  event: AuditEvent,
): Promise<void> {
  await insertEvent(transaction, toRow(context, actor, event))
}

/** With one event in a statement, 100,000 events took minutes. */
export async function recordEvents(
  transaction: Kysely<Tables>,
  context: PlatformContext,
  actor: Actor,
  events: AuditEvent[],
): Promise<void> {
  for (const chunk of chunksOf(events))
    await insertEvents(
      transaction,
      chunk.map((event) => toRow(context, actor, event)),
    )
}

function toRow(
  context: PlatformContext,
  actor: Actor,
  { action, subjectId, organizationId, details = {} }: AuditEvent,
): Omit<AuditEventRow, 'sequence' | 'hash'> {
  const event = {
    id: newId('evt', context),
    createdAt: context.now(),
    action,
    ...toActorColumns(actor),
    subjectId: subjectId ?? null,
    organizationId: organizationId ?? null,
    details: JSON.stringify(details),
    openUntil: null,
  }
  return { ...event, mac: eventMac(context.keyring, event) }
}
