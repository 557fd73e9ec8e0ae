import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'

/** A token serves one purpose. Most tokens are in links of emails; the last four are challenges. */
export type TokenPurpose =
  | 'set up'
  | 'reset password'
  | 'verify email'
  | 'change email'
  | 'undo email change'
  | 'delete user'
  | 'register passkey'
  | 'sign up with passkey'
  | 'sign in with passkey'
  | 'second step'

export const LIFETIME_MILLISECONDS: Record<TokenPurpose, number> = {
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
