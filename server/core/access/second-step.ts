import type { SessionRow } from '../../platform/database/tables.ts'

type Methods = Pick<SessionRow, 'authenticationMethods'>

/** The `amr` of tokens: values of RFC 8176. */
export function listAuthenticationMethods({ authenticationMethods }: Methods): string[] {
  return authenticationMethods.split(' ')
}

/** Depends on the sign-in of this session: a user who has a passkey may have signed in with a password alone. */
export function hasSecondStep(session: Methods): boolean {
  return listAuthenticationMethods(session).includes('mfa')
}
