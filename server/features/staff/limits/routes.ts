import { requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { clearThrottle } from './clear-throttle.ts'
import { listThrottles } from './list-throttles.ts'
import { ClearThrottleBody, ClearThrottleResponse, ListThrottlesResponse } from './schemas.ts'

export function registerStaffLimitRoutes(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/admin/list-throttles',
    {
      config: { access: { staff: 'throttle.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the limits that are at least half used, the most used first, at most 500',
        response: responses(ListThrottlesResponse),
      },
    },
    async () => ({ throttles: await listThrottles(context, rateLimits) }),
  )

  app.post(
    '/api/auth/admin/clear-throttle',
    {
      config: { access: { staff: 'throttle.clear', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Set a limit to unused, in every process within a second',
        body: ClearThrottleBody,
        response: responses(ClearThrottleResponse),
      },
    },
    async (request) => {
      const { key } = request.body
      return { status: await clearThrottle(context, rateLimits, actorOf(request), requireStaff(request), key) }
    },
  )
}
