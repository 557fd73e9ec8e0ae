import type { EventPage } from '../common/EventList.tsx'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'

/** A filter of the audit log, as it is in the address. */
export type AuditFilter = { id: string; action: string; from: string; until: string }

/** `anyId` fits ids of every kind, because an imported id does not show its kind. */
export function toParameters({ id, action, from, until }: AuditFilter): Record<string, string> {
  return { anyId: id, action, from, until }
}

const EXPORT_LIMIT = 500
const EXPORTED_MAXIMUM = 20_000

/**
 * Reads the events of a filter, newest first. A new event between two requests moves the earlier events, and the next
 * page repeats some. The map stores each event once.
 * @returns one JSON object in a line, and whether there are more events
 */
export async function exportEvents(
  filter: AuditFilter,
  onProgress: (count: number) => void,
): Promise<{ text: string; hasMore: boolean }> {
  const lines = new Map<string, string>()
  let offset = 0
  let hasMore = true
  while (hasMore && lines.size < EXPORTED_MAXIMUM) {
    const query = { ...toParameters(filter), limit: EXPORT_LIMIT, offset }
    const page = await getStaffEndpoint<EventPage>('list-audit-events', query)
    for (const event of page.events) lines.set(event.id, `${JSON.stringify(event)}\n`)
    offset += page.events.length
    onProgress(lines.size)
    hasMore = page.hasMore && page.events.length > 0
  }
  return { text: [...lines.values()].join(''), hasMore }
}
