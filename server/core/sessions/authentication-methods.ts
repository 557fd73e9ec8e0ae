/**
 * The methods of the sign-in of a session, as the `amr` of tokens (RFC 8176). Sessions store the values separated by
 * spaces, and `core/access/second-step.ts` reads them.
 */
export const AUTHENTICATION_METHODS = {
  password: 'pwd',
  'password and code': 'pwd otp mfa',
  'password and recovery code': 'pwd mfa',
  'password on trusted device': 'pwd mfa',
  passkey: 'hwk user mfa',
} as const
