import type { ErrorCode } from '../../../server/platform/http/errors.ts'
import { RequestFailed } from '../api/request-failed.ts'
import { findValue } from '../format/find-value.ts'

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  INVALID_TWO_FACTOR_COOKIE: 'This sign-in took too long or has ended. Enter your password again.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Those were too many wrong codes. Enter your password again.',
}

/** Why the challenge of a sign-in has ended, if the error says so. */
export function expiryOf(error: unknown): string | undefined {
  return findValue(SENTENCES, RequestFailed.from(error).code)
}
