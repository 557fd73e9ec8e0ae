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

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const LIFETIME_MILLISECONDS: Record<TokenPurpose, number> = {
  'set up': 24 * HOUR,
  'reset password': HOUR,
  'verify email': 24 * HOUR,
  'change email': HOUR,
  'undo email change': 7 * 24 * HOUR,
  'delete user': HOUR,
  'register passkey': 5 * MINUTE,
  'sign up with passkey': 5 * MINUTE,
  'sign in with passkey': 5 * MINUTE,
  'second step': 10 * MINUTE,
}
