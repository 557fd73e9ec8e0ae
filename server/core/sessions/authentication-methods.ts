import type { AuthenticationMethods } from '../../platform/database/tables.ts'

/** `core/access/second-step.ts` reads these values. */
export const AUTHENTICATION_METHODS = {
  password: 'pwd',
  'password and code': 'pwd otp mfa',
  'password and recovery code': 'pwd mfa',
  'password on trusted device': 'pwd mfa',
  passkey: 'hwk user mfa',
} as const satisfies Record<string, AuthenticationMethods>
