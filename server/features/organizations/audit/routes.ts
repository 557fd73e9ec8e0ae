import { requireMembership } from '../../../core/access/access.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { parseListPage } from '../../../platform/http/paging.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { toIso } from '../../../platform/http/time.ts'
import { parseTimeRange } from '../../../platform/http/time-range.ts'
import { listOrganizationEvents } from './list-organization-events.ts'
import { ListOrganizationEventsQuery, ListOrganizationEventsResponse } from './schemas.ts'

export function registerOrganizationAuditRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/organization/list-audit-events',
    {
      config: { access: { organization: 'audit.list' }, rateLimit: 'slow list', impersonated: 'allowed' },
      schema: {
        summary: 'List the audit events of an organization, newest first',
        querystring: ListOrganizationEventsQuery,
        response: responses(ListOrganizationEventsResponse),
      },
    },
    async (request) => {
      const { organization } = requireMembership(request)
      const { action, from, until } = request.query
      const page = parseListPage(request.query)
      const filter = {
        organizationId: organization.id,
        ...(action !== undefined && { action }),
        ...parseTimeRange({ from, until }),
      }
      const { events, hasMore } = await listOrganizationEvents(context, filter, page)
      return { events: events.map((event) => ({ ...event, createdAt: toIso(event.createdAt) })), ...page, hasMore }
    },
  )
}
