import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { describeLink } from './describe-link.ts'
import { DescribeLinkBody, LinkDescription } from './schemas.ts'

export function registerLinkRoutes(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  app.post(
    '/api/links/describe',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'refused' },
      schema: {
        summary: 'Describe the link of an email by its token, which stays usable',
        body: DescribeLinkBody,
        response: responses(LinkDescription, 'INVALID_TOKEN'),
      },
    },
    async (request) => rateLimits.countGuess(request, () => describeLink(context, request.body.token)),
  )
}
