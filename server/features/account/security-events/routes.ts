import { requireCaller } from '../../../core/access/access.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { parseListPage } from '../../../platform/http/paging.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { listSecurityEvents } from './list-security-events.ts'
import { ListSecurityEventsQuery, ListSecurityEventsResponse } from './schemas.ts'

export function registerSecurityEventRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/list-security-events',
    {
      config: { access: 'session', rateLimit: 'slow list', impersonated: 'refused' },
      schema: {
        summary: "List what happened to the caller's account in the last 90 days, newest first",
        querystring: ListSecurityEventsQuery,
        response: responses(ListSecurityEventsResponse),
      },
    },
    async (request) => listSecurityEvents(context, requireCaller(request).user.id, parseListPage(request.query)),
  )
}
