import type { ErrorCode } from '../../../server/platform/http/errors.ts'

type Details = {
  status: number
  code: string
  message: string
  field?: string | undefined
  retryAfterSeconds?: number | undefined
  reference?: string | undefined
}

/** An error response. Without any response, `status` is 0 and `code` is UNREACHABLE, or NO_RESPONSE after a change. */
export class RequestFailed extends Error {
  override name = 'RequestFailed'
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly reference: string | undefined

  constructor(details: Details) {
    super(details.message)
    this.status = details.status
    this.code = details.code
    this.field = details.field
    this.retryAfterSeconds = details.retryAfterSeconds
    this.reference = details.reference
  }

  static from(error: unknown): RequestFailed {
    return error instanceof RequestFailed ? error : RequestFailed.withoutResponse(false)
  }

  static withoutResponse(isChangePossible: boolean): RequestFailed {
    return new RequestFailed({ status: 0, code: isChangePossible ? 'NO_RESPONSE' : 'UNREACHABLE', message: '' })
  }

  static fromResponse(response: Response, body: object): RequestFailed {
    const retryAfterSeconds = Number(response.headers.get('retry-after'))
    return new RequestFailed({
      status: response.status,
      code: textOf(body, 'code') ?? 'UNKNOWN',
      message: textOf(body, 'message') ?? '',
      field: textOf(body, 'field'),
      retryAfterSeconds: retryAfterSeconds > 0 ? retryAfterSeconds : undefined,
      reference: response.headers.get('x-request-id') ?? undefined,
    })
  }
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return RequestFailed.from(error).code === code
}

function textOf(body: object, key: string): string | undefined {
  const value: unknown = Object.entries(body).find(([name]) => name === key)?.[1]
  return typeof value === 'string' && value !== '' ? value : undefined
}
