import { requireCaller } from '../../../core/access/access.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { getSignInStatus } from './get-sign-in-status.ts'
import { SignInStatusQuery, SignInStatusResponse } from './schemas.ts'

export function registerSignInStatusRoute(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/admin/get-sign-in-status',
    {
      config: { access: { staff: 'user.get' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Whether a user can sign in, and why not, by email address or id',
        querystring: SignInStatusQuery,
        response: responses(SignInStatusResponse, 'VALIDATION_ERROR', 'INVALID_EMAIL', ...MANAGED_USER_ERRORS),
      },
    },
    async (request) => getSignInStatus(context, requireCaller(request), rateLimits, request.query),
  )
}
