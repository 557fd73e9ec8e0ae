import type { PlatformContext } from '../../platform/context.ts'
import type { AuditEventRow } from '../../platform/database/tables.ts'
import { type AuditFilter, listEvents } from './store.ts'

export interface RecordedEvent extends Omit<AuditEventRow, 'details' | 'mac' | 'openUntil'> {
  details: Record<string, unknown>
}

/** Newest first. */
export async function listRecordedEvents(
  { database }: PlatformContext,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<RecordedEvent[]> {
  const rows = await listEvents(database, filter, page)
  return rows.map(({ mac: _, openUntil: __, details, ...event }) => ({
    ...event,
    details: JSON.parse(details) as Record<string, unknown>,
  }))
}
