import type { RateLimits } from '../../../core/access/rate-limits.ts'
import type { Context } from '../../../core/context.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { getSignInStatus } from './get-sign-in-status.ts'
import { SignInStatusAnswer, SignInStatusQuery } from './schemas.ts'

export function registerSignInStatusRoute(app: App, context: Context, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/admin/get-sign-in-status',
    {
      config: { access: { staff: 'user.get' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Whether a user can sign in, and why not, by email address or id',
        querystring: SignInStatusQuery,
        response: answers(SignInStatusAnswer, 'VALIDATION_ERROR', 'INVALID_EMAIL', 'USER_NOT_FOUND'),
      },
    },
    async (request) => getSignInStatus(context, rateLimits, request.query),
  )
}
