import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UnknownSecretError } from '../crypto/keyring.ts'
import { TooManyWaiting } from '../crypto/passwords.ts'
import { isRightMissing, isUnavailable } from '../database/unavailable.ts'
import { prefersHtml } from './content-negotiation.ts'
import { createBusyDelay } from './delay-busy-responses.ts'
import { ApiError, type ErrorCode } from './errors.ts'
import { describeRequest, logRequest } from './request-log.ts'
import { toValidationError } from './validation-error.ts'

/** The queue for password hashing is shorter after this time. */
const BUSY_SECONDS = 1

/** Undefined while the pages are not built. */
export type ErrorPage = (code: ErrorCode) => string | undefined

/** Called before the response of every error under 500. */
type OnRefusal = (request: FastifyRequest, error: ApiError) => void

/** The cause is logged and never sent. A browser that prefers HTML gets a page. */
export function renderErrors(app: FastifyInstance, errorPage: ErrorPage, onRefusal: OnRefusal): void {
  const delay = createBusyDelay()
  app.setErrorHandler(async (error, request, reply) => {
    const apiError = toApiError(error, request)
    if (apiError.status < 500) onRefusal(request, apiError)
    if (error instanceof TooManyWaiting) await delay(BUSY_SECONDS)
    return render(apiError, request, reply, errorPage)
  })
  app.setNotFoundHandler((request, reply) => render(new ApiError('NOT_FOUND'), request, reply, errorPage))
}

/** The router can't decode the URL. Fastify runs no hook for it, so headers and log line are added here. */
export function refuseUnroutable(headers: Record<string, string>, errorPage: ErrorPage) {
  return (_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(headers).header('x-request-id', request.id)
    render(
      new ApiError('VALIDATION_ERROR', { message: "The URL of the request can't be decoded." }),
      request,
      reply,
      errorPage,
    )
    logRequest(request, reply)
  }
}

function render(error: ApiError, request: FastifyRequest, reply: FastifyReply, errorPage: ErrorPage): FastifyReply {
  logFailure(error, request)
  if (error.retryAfterSeconds !== undefined) {
    // The official client reads x-retry-after.
    reply.header('retry-after', error.retryAfterSeconds).header('x-retry-after', error.retryAfterSeconds)
  }
  // RFC 9110, section 15.5.2. With `Basic`, browsers would ask for a password in a dialog.
  if (error.status === 401) reply.header('www-authenticate', 'Bearer')
  const { code, message, field, url } = error
  reply.code(error.status).header('cache-control', 'no-store')
  const page = wantsPage(request) ? errorPage(code) : undefined
  if (page !== undefined) return reply.type('text/html; charset=utf-8').serializer(String).send(page)
  return reply
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send({ code, message, field, url })
}

/** Aborted requests and full queues are not logged as errors: a flood causes thousands, while the service works. */
function logFailure(error: ApiError, request: FastifyRequest): void {
  if (error.status < 500) return
  const { code, cause } = error
  if (request.raw.readableAborted) request.log.debug({ reqId: request.id }, 'the client aborted the request')
  else if (cause instanceof TooManyWaiting) request.log.debug({ reqId: request.id, code }, cause.message)
  else request.log.error({ ...describeRequest(request), err: cause ?? error, code }, 'request failed')
}

function wantsPage({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' && headers.accept !== undefined && prefersHtml(headers.accept) && !hasApiKeyOrBearerToken(headers)
  )
}

/** A browser sends neither header when it opens a page. HttpURLConnection of Java prefers HTML by default. */
function hasApiKeyOrBearerToken(headers: FastifyRequest['headers']): boolean {
  return headers['x-api-key'] !== undefined || /^bearer /i.test(headers.authorization ?? '')
}

function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof TooManyWaiting)
    return new ApiError('SERVICE_UNAVAILABLE', { retryAfterSeconds: BUSY_SECONDS, cause: error })
  // During a rotation of SECRET, the next request may reach a process that has the new one.
  if (isUnavailable(error) || isRightMissing(error) || error instanceof UnknownSecretError)
    return new ApiError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, cause: error })
  return fromFastify(error as Partial<FastifyError>, request) ?? new ApiError('INTERNAL_SERVER_ERROR', { cause: error })
}

function fromFastify(error: Partial<FastifyError>, { routeOptions }: FastifyRequest): ApiError | undefined {
  const { validation, validationContext } = error
  if (validation) return toValidationError({ validation, validationContext }, routeOptions.schema)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('BODY_TOO_LARGE')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('UNSUPPORTED_MEDIA_TYPE')
  if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new ApiError('INVALID_JSON')
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new ApiError('VALIDATION_ERROR', { cause: error })
  return undefined
}
