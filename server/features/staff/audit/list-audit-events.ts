import type { Static } from 'typebox'
import type { AuditFilter } from '../../../core/audit/filtered-events-store.ts'
import { addNames, listRecordedEvents, type NamedEvent } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { type Page, readUncountedPage } from '../../../platform/http/paging.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { ListAuditEventsResponse } from './schemas.ts'

export async function listAuditEvents(
  { slowReads: database }: Pick<Context, 'slowReads'>,
  filter: AuditFilter,
  page: Page,
): Promise<Static<typeof ListAuditEventsResponse>> {
  const { rows, hasMore } = await readUncountedPage(page, (more) => listRecordedEvents({ database }, filter, more))
  const events = await addNames({ database }, rows)
  return { events: events.map(toEvent), ...page, hasMore }
}

function toEvent(event: NamedEvent) {
  return { ...event, createdAt: toIso(event.createdAt) }
}
