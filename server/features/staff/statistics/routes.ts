import type { Context } from '../../../core/context.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { getStatistics } from './get-statistics.ts'
import { parsePeriod } from './parse-period.ts'
import { StatisticsQuery, StatisticsResponse } from './schemas.ts'

export function registerStatisticsRoute(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/admin/statistics',
    {
      config: { access: { staff: 'statistics.read' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Count sign-ins, users, invitations, bans, emails and tokens by hour or day',
        querystring: StatisticsQuery,
        response: responses(StatisticsResponse, 'VALIDATION_ERROR'),
      },
    },
    async (request) => getStatistics(context, parsePeriod(request.query, context.now())),
  )
}
