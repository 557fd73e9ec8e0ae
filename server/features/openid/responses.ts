import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { toErrorDescription } from '../../platform/http/error-description.ts'
import { errorResponses, PageResponse } from '../../platform/http/schemas.ts'

/** RFC 6749, section 5.2. */
const OAuthError = Type.Object({
  error: Type.String({ description: 'a code of OAuth 2.0 or OpenID Connect' }),
  error_description: Type.Optional(Type.String({ description: 'a sentence for developers' })),
})
const refused = (description: string) => Type.Object(OAuthError.properties, { description })
const nothing = (description: string) => Type.Unsafe<string>({ type: 'null', description })

/** Responses for the OpenAPI document only: the responses of the library are sent unchanged. */
export const BROWSER_RESPONSES: Record<number, TSchema> = {
  ...PageResponse,
  303: nothing('A redirect to a page of the service, or back to the client with a code or an error'),
  400: refused('A page with the reason, when the browser must not be sent to the client'),
}
export const CLIENT_RESPONSES: Record<number, TSchema> = {
  200: Type.Record(Type.String(), Type.Unknown()),
  400: refused('The request is not valid'),
  401: refused('The authentication of the client, or the token, is not valid'),
  403: refused('The token does not have the scope'),
  503: refused("The service can't answer now"),
}
/** RFC 9126, section 2.2: the response to a stored request has status 201. */
export const PUSHED_RESPONSES: Record<number, TSchema> = {
  ...CLIENT_RESPONSES,
  201: Type.Record(Type.String(), Type.Unknown()),
}
/** Only refreshes and token exchanges have a rate limit. */
export const TOKEN_RESPONSES: Record<number, TSchema> = {
  ...CLIENT_RESPONSES,
  ...errorResponses(['TOO_MANY_REQUESTS']),
}
export const PREFLIGHT_RESPONSES: Record<number, TSchema> = { 204: nothing('The origin may call') }

/** Adds the form of OAuth 2.0 to errors of this service that are raised before the library is called. */
export async function addOAuthError(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { code, message } = payload as { code?: string; message?: string }
  if (code === undefined) return payload
  const isTemporary = [429, 503].includes(reply.statusCode)
  const ofStatus = reply.statusCode === 500 ? 'server_error' : 'invalid_request'
  return {
    ...(payload as object),
    error: isTemporary ? 'temporarily_unavailable' : ofStatus,
    error_description: toErrorDescription(message ?? ''),
  }
}
