import type { AuthenticationMethods } from '../../platform/database/tables.ts'
import { hasSecondStep } from '../access/second-step.ts'

export const AUTHENTICATION_METHODS = {
  password: 'pwd',
  'password and code': 'pwd otp mfa',
  'password and recovery code': 'pwd mfa',
  'password on trusted device': 'pwd mfa',
  passkey: 'hwk user mfa',
} as const satisfies Record<string, AuthenticationMethods>

/**
 * A step-up must not raise the methods of an earlier grant: an intruder with a copy of the session may have the grant.
 * @param former the methods of the grant; null if they are unknown
 */
export function weakerMethods(
  former: AuthenticationMethods | null,
  current: AuthenticationMethods,
): AuthenticationMethods {
  return former !== null && hasSecondStep({ authenticationMethods: current }) ? former : current
}
