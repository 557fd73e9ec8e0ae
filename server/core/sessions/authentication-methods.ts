import type { AuthenticationMethods } from '../../platform/database/tables.ts'
import { hasSecondStep } from '../access/second-step.ts'

/** `core/access/second-step.ts` reads these values. */
export const AUTHENTICATION_METHODS = {
  password: 'pwd',
  'password and code': 'pwd otp mfa',
  'password and recovery code': 'pwd mfa',
  'password on trusted device': 'pwd mfa',
  passkey: 'hwk user mfa',
} as const satisfies Record<string, AuthenticationMethods>

/**
 * The methods of a grant or token that a session gave. A later step-up must not raise them: an intruder with a copy of the
 * session may have got the grant. One step is weaker than two.
 * @param former the session's methods at that time; null if they are unknown
 */
export function weakerMethods(
  former: AuthenticationMethods | null,
  current: AuthenticationMethods,
): AuthenticationMethods {
  return former !== null && hasSecondStep({ authenticationMethods: current }) ? former : current
}
