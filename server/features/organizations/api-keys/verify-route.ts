import type { RateLimits } from '../../../core/access/rate-limits.ts'
import type { Context } from '../../../core/context.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { VerifyApiKeyAnswer, VerifyApiKeyBody } from './schemas.ts'
import { verifyApiKey } from './verify-api-key.ts'
import { toApiKey } from './wire.ts'

/** For services that are handed a key and want to know whose it is. */
export function registerVerifyApiKeyRoute(app: App, context: Context, rateLimits: RateLimits): void {
  app.post(
    '/api/auth/api-key/verify',
    {
      config: { access: 'anyone', rateLimit: 'guess', impersonated: 'allowed' },
      schema: {
        summary: 'Whether a key is good, and whose it is; nothing is changed',
        body: VerifyApiKeyBody,
        response: answers(VerifyApiKeyAnswer),
      },
    },
    async (request) => {
      const result = await verifyApiKey(context, request.body.key)
      if (result instanceof ApiError) {
        await rateLimits.chargeWrongGuess(request, result)
        return { valid: false, error: { code: result.code, message: result.message }, key: null }
      }
      const { key, organization } = result
      return { valid: true, error: null, key: { ...toApiKey(key), organizationSlug: organization.slug } }
    },
  )
}
