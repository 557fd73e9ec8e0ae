import { ApiError, type ErrorCode } from '../../platform/http/errors.ts'

/** Errors for a secret that is invented, already used, or owned by another user. */
const WRONG_GUESSES = new Set<ErrorCode>([
  'INVALID_TOKEN',
  'SETUP_ALREADY_DONE',
  'INVALID_API_KEY',
  'INVITATION_REQUIRED',
  'INVITATION_NOT_FOUND',
  'CHALLENGE_NOT_FOUND',
  'CHALLENGE_FROM_ELSEWHERE',
  'PASSKEY_WRONG_ORIGIN',
  'PASSKEY_WRONG_RELYING_PARTY',
  'USER_VERIFICATION_REQUIRED',
  'FAILED_TO_VERIFY_REGISTRATION',
  'AUTHENTICATION_FAILED',
  'UNKNOWN_PASSKEY',
  'PASSKEY_OF_ANOTHER_USER',
  'PASSKEY_COUNTER_WENT_BACK',
  'INVALID_TWO_FACTOR_COOKIE',
  'DEVICE_CODE_NOT_FOUND',
])

export function isWrongGuess(error: unknown): boolean {
  return error instanceof ApiError && WRONG_GUESSES.has(error.code)
}
