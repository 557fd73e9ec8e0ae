import type { ErrorCode } from '../../server/platform/http/errors.ts'
import { findValue } from '../shared/format/find-value.ts'

type Refusal = {
  heading: string
  explanation: string
  /** The same address may work a moment later. */
  isTemporary?: boolean
}

const REFUSALS: Partial<Record<ErrorCode, Refusal>> = {
  NOT_FOUND: {
    heading: 'There is no such page',
    explanation: 'The address may be mistyped, or the page may have moved.',
  },
  INVALID_CALLBACK_URL: {
    heading: 'We can’t send you back there',
    explanation:
      'The service that sent you here is not on our list of services to return to. Nothing happened to your account. Go back to that service, and tell its administrators.',
  },
  INVALID_TOKEN: {
    heading: 'This link doesn’t work',
    explanation: 'It has been used, has expired or is incomplete. Open it again from the email, or ask for a new one.',
  },
  UNAUTHORIZED: { heading: 'Sign in first', explanation: 'This address is for signed-in users only.' },
  IMPERSONATION_NOT_ALLOWED: {
    heading: 'Only the user can open this',
    explanation: 'You are impersonating a user. Stop that under Account, or ask the user to open it.',
  },
  TOO_MANY_REQUESTS: {
    heading: 'One try too many',
    explanation: 'A lot of requests came from your network just now. Wait a minute, then try again.',
    isTemporary: true,
  },
  SERVICE_UNAVAILABLE: {
    heading: 'We can’t answer just now',
    explanation: 'The service is starting, being repaired or very busy. Try again in a moment.',
    isTemporary: true,
  },
  INTERNAL_SERVER_ERROR: {
    heading: 'Something went wrong',
    explanation: 'The fault is on our side. Try again in a moment.',
    isTemporary: true,
  },
}

const OTHERWISE: Refusal = {
  heading: 'That didn’t work',
  explanation: 'The service refused this address. Start again from the page or the email that brought you here.',
}

export function refusalOf(code: string): Refusal {
  return findValue(REFUSALS, code) ?? OTHERWISE
}
