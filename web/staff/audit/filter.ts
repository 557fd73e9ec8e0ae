import { ask } from '../common/ask.ts'
import type { EventPage } from '../common/EventList.tsx'

/** A filter of the audit log, as it is in the address. */
export type AuditFilter = { id: string; action: string; from: string; until: string }

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** The parameters of list-audit-events. The kind of an id decides which one names it. */
export function toParameters({ id, action, from, until }: AuditFilter): Record<string, string> {
  return { [parameterOf(id)]: id, action, from, until }
}

function parameterOf(id: string): string {
  if (id.startsWith('usr_')) return 'userId'
  if (id.startsWith('org_')) return 'organizationId'
  return REQUEST_ID.test(id) ? 'requestId' : 'subjectId'
}

const EXPORT_LIMIT = 500
export const EXPORTED_MAXIMUM = 20_000

/** The events of a filter, one JSON object in a line, newest first. */
export async function exportEvents(filter: AuditFilter, onProgress: (count: number) => void): Promise<string> {
  const lines: string[] = []
  for (let hasMore = true; hasMore && lines.length < EXPORTED_MAXIMUM; ) {
    const query = { ...toParameters(filter), limit: EXPORT_LIMIT, offset: lines.length }
    const page = await ask<EventPage>('list-audit-events', query)
    lines.push(...page.events.map((event) => `${JSON.stringify(event)}\n`))
    onProgress(lines.length)
    hasMore = page.hasMore && page.events.length > 0
  }
  return lines.join('')
}
