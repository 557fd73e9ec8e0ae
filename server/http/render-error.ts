import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { isUnavailable } from '../database/unavailable.ts'
import { PasswordsBusy } from '../secrets/passwords.ts'
import { ApiError, type ErrorCode } from './errors.ts'
import { createHold } from './hold-refusals.ts'

/** By then the queue for passwords is shorter. */
const BUSY_SECONDS = 1

/** The page for an error, for people who came by browser; undefined when there are no pages. */
type ErrorPage = (code: ErrorCode) => string | undefined

/**
 * Every error leaves through here: as `{code, message, field?}`, or as a page where a browser asked for one; with its
 * cause in the log and nowhere else.
 */
export function renderErrors(app: FastifyInstance, errorPage: ErrorPage): void {
  const hold = createHold()
  app.setErrorHandler(async (error, request, reply) => {
    const apiError = toApiError(error)
    if (error instanceof PasswordsBusy) await hold(BUSY_SECONDS)
    return render(apiError, request, reply, errorPage)
  })
  app.setNotFoundHandler((request, reply) => render(new ApiError('NOT_FOUND'), request, reply, errorPage))
}

function render(error: ApiError, request: FastifyRequest, reply: FastifyReply, errorPage: ErrorPage): FastifyReply {
  logFailure(error, request)
  if (error.retryAfterSeconds !== undefined) {
    // The second header is the one that the official client reads.
    reply.header('retry-after', error.retryAfterSeconds).header('x-retry-after', error.retryAfterSeconds)
  }
  const { code, message, field } = error
  reply.code(error.status).header('cache-control', 'no-store')
  const page = wantsPage(request) ? errorPage(code) : undefined
  if (page !== undefined) return reply.type('text/html; charset=utf-8').serializer(String).send(page)
  return reply
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(field === undefined ? { code, message } : { code, message, field })
}

/** A client that goes away, or being too busy to hash, is no failure to look into, and comes by the thousand when it comes. */
function logFailure(error: ApiError, request: FastifyRequest): void {
  if (error.status < 500) return
  const { code, cause } = error
  if (request.raw.readableAborted) request.log.debug({ reqId: request.id }, 'the request was not sent to its end')
  else if (cause instanceof PasswordsBusy) request.log.debug({ reqId: request.id, code }, cause.message)
  else request.log.error({ reqId: request.id, err: cause ?? error, code }, 'request failed')
}

function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof PasswordsBusy)
    return new ApiError('SERVICE_UNAVAILABLE', { retryAfterSeconds: BUSY_SECONDS, cause: error })
  if (isUnavailable(error)) return new ApiError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2, cause: error })
  return fromFramework(error as Partial<FastifyError>) ?? new ApiError('INTERNAL_SERVER_ERROR', { cause: error })
}

function fromFramework(error: Partial<FastifyError>): ApiError | undefined {
  if (error.validation?.[0]) return fromValidation(error.validation[0], error.validationContext ?? 'body')
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('BODY_TOO_LARGE')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('UNSUPPORTED_MEDIA_TYPE')
  if (error instanceof SyntaxError) return new ApiError('INVALID_JSON')
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new ApiError('VALIDATION_ERROR', { cause: error })
  return undefined
}

/** One sentence that names the field and what is wrong with it. */
function fromValidation(error: FastifySchemaValidationError, where: string): ApiError {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const inside = (name: unknown): string => (path ? `${path}.${name}` : String(name))
  if (error.keyword === 'required') {
    const field = inside(error.params.missingProperty ?? (error.params.requiredProperties as string[] | undefined)?.[0])
    return invalid(field, `${field} is missing.`)
  }
  if (error.keyword === 'additionalProperties') {
    const field = inside(error.params.additionalProperty)
    return invalid(field, `${field} is not a field of this request.`)
  }
  if (error.keyword === 'enum')
    return invalid(path, `${path} must be ${oneOf(error.params.allowedValues as string[])}.`)
  if (!path)
    return invalid(undefined, `The ${where === 'querystring' ? 'query' : where} ${error.message ?? 'is not valid'}.`)
  return invalid(path, `${path} ${error.message ?? 'is not valid'}.`)
}

const NAMED_MAXIMUM = 10

function oneOf(words: string[]): string {
  const named = words.slice(0, NAMED_MAXIMUM).join(', ')
  return words.length > NAMED_MAXIMUM
    ? `one of ${named}, and others: /api/auth/reference has them all`
    : `one of ${named}`
}

function invalid(field: string | undefined, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { message, ...(field !== undefined && { field }) })
}
