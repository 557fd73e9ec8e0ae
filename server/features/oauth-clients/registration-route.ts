import { actorOf } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import type { RateLimits } from '../../core/limits/rate-limits.ts'
import { toErrorDescription } from '../../platform/http/error-description.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { errorResponses } from '../../platform/http/schemas.ts'
import { METADATA_ERRORS } from './parse-metadata.ts'
import { registerClient } from './register-client.ts'
import { OAuthClientWithSecret, RegisterClientBody } from './schemas.ts'
import { pickMetadata, toClientWithSecret } from './wire.ts'

const ERRORS = ['CLIENT_REGISTRATION_DISABLED', 'OAUTH_CLIENT_LIMIT_REACHED', ...METADATA_ERRORS] as const

export function registerClientRegistrationRoute(app: HttpApp, context: Context, rateLimits: RateLimits): void {
  app.post(
    '/api/auth/oauth2/register',
    {
      config: { access: 'anyone', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Register an OAuth client (RFC 7591), where ALLOW_CLIENT_REGISTRATION is true',
        body: RegisterClientBody,
        response: { ...errorResponses(ERRORS), 201: OAuthClientWithSecret },
      },
      preSerialization: async (_request, { statusCode }, payload) =>
        statusCode < 400 ? payload : withRegistrationError(statusCode, payload as Refusal),
    },
    async (request, reply) => {
      const registered = await registerClient(context, rateLimits, actorOf(request), pickMetadata(request.body))
      return reply.code(201).send(toClientWithSecret(registered))
    },
  )
}

/** Errors that are not about the metadata. */
const ERRORS_OF_STATUS: Record<number, string> = {
  403: 'access_denied',
  429: 'temporarily_unavailable',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

interface Refusal {
  message: string
  field?: string
}

/** RFC 7591, section 3.2.2, beside our own form. The field of an address in a list has its index. */
function withRegistrationError(status: number, body: Refusal): object {
  const isOfAddress = /^(post_logout_)?redirect_uris\b/.test(body.field ?? '')
  const ofMetadata = isOfAddress ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  return { ...body, error: ERRORS_OF_STATUS[status] ?? ofMetadata, error_description: toErrorDescription(body.message) }
}
