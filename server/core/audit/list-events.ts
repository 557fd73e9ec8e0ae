import type { PlatformContext } from '../../platform/context.ts'
import type { AuditEventRow } from '../../platform/database/tables.ts'
import { type AuditFilter, listEvents } from './filtered-events-store.ts'
import { listNames } from './names.ts'

export interface RecordedEvent extends Omit<AuditEventRow, 'details' | 'mac' | 'openUntil'> {
  details: Record<string, unknown>
}

/** Newest first. */
export async function listRecordedEvents(
  { database }: Pick<PlatformContext, 'database'>,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<RecordedEvent[]> {
  const rows = await listEvents(database, filter, page)
  return rows.map(({ mac: _, openUntil: __, details, ...event }) => ({
    ...event,
    details: JSON.parse(details) as Record<string, unknown>,
  }))
}

export interface NamedEvent extends RecordedEvent {
  /** Null without an actor, and for a deleted one. */
  actorName: string | null
  subjectName: string | null
  organizationName: string | null
}

export async function addNames(
  { database }: Pick<PlatformContext, 'database'>,
  events: RecordedEvent[],
): Promise<NamedEvent[]> {
  const ids = events.flatMap((event) => [event.actorId ?? '', event.subjectId ?? '', event.organizationId ?? ''])
  const names = await listNames(database, ids)
  return events.map((event) => ({
    ...event,
    actorName: names.get(event.actorId ?? '') ?? null,
    subjectName: names.get(event.subjectId ?? '') ?? null,
    organizationName: names.get(event.organizationId ?? '') ?? null,
  }))
}
