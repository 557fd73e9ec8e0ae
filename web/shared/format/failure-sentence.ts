import { PASSWORD_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import type { ErrorCode } from '../../../server/platform/http/errors.ts'
import type { RequestFailed } from '../api/request-failed.ts'
import { duration } from './duration.ts'
import { findValue } from './find-value.ts'

/** Codes of the pages and of @simplewebauthn/browser. */
type BrowserCode =
  | 'UNREACHABLE'
  | 'NO_RESPONSE'
  | 'BULK_RUNNING'
  | 'AUTH_CANCELLED'
  | 'ERROR_CEREMONY_ABORTED'
  | 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY'
  | 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'

export type Sentences = Partial<Record<ErrorCode | BrowserCode, string | ((failure: RequestFailed) => string)>>

const NO_PASSKEY = 'Your browser used no passkey. Try again, or go on without one.'

const UNREACHABLE = 'The service can’t be reached. Check your connection, then try again.'

/** Sentences of requests that may be repeated, such as reads and sign-ins. */
export const REPEATABLE: Sentences = { NO_RESPONSE: UNREACHABLE }

/** Sentences of reads. Only the address of the page can make a read invalid: users do not know the names in it. */
export const READS: Sentences = {
  ...REPEATABLE,
  VALIDATION_ERROR:
    'A part of the address of this page is not valid. Open the page again from the navigation, or from the link that led here.',
}

const SENTENCES: Partial<Record<ErrorCode | BrowserCode, string>> = {
  UNREACHABLE,
  NO_RESPONSE: 'No response came. The change may have been made: load the page again before you repeat it.',
  BULK_RUNNING: 'Another change is still being made. Try again when it is done.',
  INVALID_EMAIL_OR_PASSWORD: 'That email address and password don’t go together. Check both, then try again.',
  INVALID_PASSWORD: 'That isn’t your current password. Type it again.',
  PASSWORD_TOO_LONG: `Use at most ${PASSWORD_LENGTH_MAXIMUM} characters.`,
  PASSWORD_TOO_COMMON:
    'This password is easy to guess: it is a common one, or it repeats or counts. Choose another one.',
  PASSWORD_TOO_PERSONAL:
    'This password is mostly your name, your address, your organization or the name of this service. Choose another one.',
  INVALID_EMAIL: 'That isn’t a complete email address. It should look like name@example.com.',
  SESSION_NOT_FRESH: 'You didn’t verify that it is you, so nothing was changed.',
  UNAUTHORIZED: 'You are no longer signed in. Load the page again to sign in.',
  AUTH_CANCELLED: NO_PASSKEY,
  ERROR_CEREMONY_ABORTED: NO_PASSKEY,
  ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: NO_PASSKEY,
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for your account already.',
  METADATA_CHANGED:
    'The stored metadata has changed since this page was loaded, so nothing was saved. If your change is still right, save again.',
  INVALID_ORIGIN: 'Your browser says this request came from another site. Load the page again, then try once more.',
}

/** A sentence in `special`, for one page, replaces the general sentence. */
export function failureSentence(failure: RequestFailed, special: Sentences = {}): string {
  const ownSentence = findValue(special, failure.code)
  if (ownSentence !== undefined) return typeof ownSentence === 'string' ? ownSentence : ownSentence(failure)
  if (failure.status === 429) return `That was one try too many. ${tryAgain(failure)}`
  if (failure.status === 503) return `The service is very busy just now. ${tryAgain(failure)}`
  const sentence = findValue(SENTENCES, failure.code)
  if (sentence !== undefined) return sentence
  if (failure.status >= 500)
    return 'Something went wrong on our side. Nothing you typed is lost: try again in a moment.'
  return failure.message || 'That didn’t work. Try again in a moment.'
}

function tryAgain(failure: RequestFailed): string {
  if (failure.retryAfterSeconds === undefined) return 'Try again in a moment.'
  return `Try again in ${duration(failure.retryAfterSeconds)}.`
}
