import type { Static } from 'typebox'
import type { AuditFilter } from '../../../core/audit/filtered-events-store.ts'
import { addNames, listRecordedEvents, type NamedEvent } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { ListAuditEventsAnswer } from './schemas.ts'

/** One page, newest first, read off the main thread. */
export async function listAuditEvents(
  { slowReads: database }: Pick<Context, 'slowReads'>,
  filter: AuditFilter,
  { limit, offset }: Page,
): Promise<Static<typeof ListAuditEventsAnswer>> {
  const found = await listRecordedEvents({ database }, filter, { limit: limit + 1, offset })
  const events = await addNames({ database }, found.slice(0, limit))
  return { events: events.map(toEvent), limit, offset, hasMore: found.length > limit }
}

function toEvent(event: NamedEvent) {
  return { ...event, createdAt: toIso(event.createdAt) }
}
