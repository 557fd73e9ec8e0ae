import { listRecordedEvents } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { answers } from '../../../platform/http/schemas.ts'
import { parseTime, toIso } from '../../../platform/http/time.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { ListAuditEventsAnswer, ListAuditEventsQuery } from './schemas.ts'

const LIMIT_DEFAULT = 100

export function registerAuditRoutes(app: App, context: Context): void {
  app.get(
    '/api/auth/admin/list-audit-events',
    {
      config: { access: { staff: 'audit.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List audit events, newest first, by actor, subject, organization, action and time',
        querystring: ListAuditEventsQuery,
        response: answers(ListAuditEventsAnswer, 'UNAUTHORIZED', 'FORBIDDEN'),
      },
    },
    async (request) => {
      const { limit: limitText, offset: offsetText = '0', from, until, ...equal } = request.query
      const limit = limitText === undefined ? LIMIT_DEFAULT : Number(limitText)
      const offset = Number(offsetText)
      const filter = {
        ...equal,
        ...(from !== undefined && { from: parseTime(from, 'from') }),
        ...(until !== undefined && { until: parseTime(until, 'until') }),
      }
      const events = await listRecordedEvents(context, filter, { limit: limit + 1, offset })
      const shown = events.slice(0, limit).map((event) => ({ ...event, createdAt: toIso(event.createdAt) }))
      return { events: shown, limit, offset, hasMore: events.length > limit }
    },
  )
}
