import { requireCaller } from '../../../core/access/access.ts'
import type { Context } from '../../../core/context.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { parseListPage } from '../../../platform/http/paging.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { parseTimeRange } from '../../../platform/http/time-range.ts'
import { listAuditEvents } from './list-audit-events.ts'
import { listUserEvents } from './list-user-events.ts'
import { ListAuditEventsQuery, ListAuditEventsResponse, ListUserEventsQuery } from './schemas.ts'

export const LIMIT_DEFAULT = '100'

export function registerAuditRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/admin/list-audit-events',
    {
      config: { access: { staff: 'audit.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary:
          'List audit events, newest first, by user, actor, impersonator, subject, organization, action, request and time',
        querystring: ListAuditEventsQuery,
        response: responses(ListAuditEventsResponse, 'UNAUTHORIZED', 'FORBIDDEN'),
      },
    },
    async (request) => {
      const { limit = LIMIT_DEFAULT, offset = '0', from, until, ...equal } = request.query
      if (equal.anyId !== undefined && equal.userId !== undefined)
        throw new ApiError('VALIDATION_ERROR', { field: 'anyId', message: 'Send either userId or anyId, not both.' })
      const filter = { ...equal, ...parseTimeRange({ from, until }) }
      return listAuditEvents(context, filter, parseListPage({ limit, offset }))
    },
  )

  app.get(
    '/api/auth/admin/list-user-events',
    {
      config: { access: { staff: 'user.get' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the audit events whose actor, subject or impersonator is a user, newest first',
        querystring: ListUserEventsQuery,
        response: responses(ListAuditEventsResponse, ...MANAGED_USER_ERRORS),
      },
    },
    async (request) => {
      const { userId, action } = request.query
      const filter = { userId, ...(action && { action }) }
      return listUserEvents(context, requireCaller(request), filter, parseListPage(request.query))
    },
  )
}
