import type { TokenPurpose } from '../../platform/database/tables.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'

type NoData = Record<string, never>

interface WithCallback {
  callbackUrl?: string
}

interface OfCeremony {
  /** The sessions, browsers and clients in which the ceremony may finish. */
  bindings: string[]
}

export interface TokenData {
  'set up': NoData
  'reset password': WithCallback
  'verify email': WithCallback & { email: string }
  'change email': WithCallback & { newEmail: string; oldEmail: string }
  /** The link of an earlier version has fewer of these. */
  'undo email change': {
    oldEmail: string
    /** Higher for a later change. */
    position?: number
    /** When the user's second step at the time of the change was verified; null without one. */
    stepVerifiedAt?: number | null
    /** Hashes of the recovery codes that were unused at the change. */
    recoveryCodeHashes?: string[]
  }
  'delete user': WithCallback
  'register passkey': OfCeremony & { name: string | null }
  'sign up with passkey': OfCeremony & {
    id: string
    email: string
    name: string
    invitation: { id: string; secretHash: string }
  }
  'sign in with passkey': OfCeremony
  'second step': {
    rememberMe: boolean
    failureCount: number
    /** The id of the email that is sent unless the sign-in is finished; undefined on a known device. */
    noticeId?: string
    /** The user's own session in the browser before the first step. The second step replaces it. */
    formerSessionId?: string
  }
}

export const SINGLE_USE_TOKEN_MILLISECONDS: Record<TokenPurpose, number> = {
  'set up': DAY_MILLISECONDS,
  'reset password': HOUR_MILLISECONDS,
  'verify email': DAY_MILLISECONDS,
  'change email': HOUR_MILLISECONDS,
  'undo email change': 7 * DAY_MILLISECONDS,
  'delete user': HOUR_MILLISECONDS,
  'register passkey': 5 * MINUTE_MILLISECONDS,
  'sign up with passkey': 5 * MINUTE_MILLISECONDS,
  'sign in with passkey': 5 * MINUTE_MILLISECONDS,
  'second step': 10 * MINUTE_MILLISECONDS,
}
