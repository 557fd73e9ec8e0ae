import type { Static } from 'typebox'
import type { SignInStatusAnswer } from '../../../server/features/staff/sign-in-status/schemas.ts'

type TwoFactor = NonNullable<Static<typeof SignInStatusAnswer>['twoFactor']>

/** "On, with an authenticator app. 8 recovery codes left." */
export function twoStepSentence({ enabled, method, recoveryCodesLeft, requiredBy }: TwoFactor): string {
  const required = requiredBy.map((by) => (by.kind === 'service' ? 'this service' : by.name)).join(', ')
  const because = required === '' ? '' : ` Required by ${required}.`
  if (!enabled) return `Off.${because}`
  const codes = recoveryCodesLeft === 1 ? '1 recovery code' : `${recoveryCodesLeft} recovery codes`
  return `On, with ${method === 'otp' ? 'codes by email' : 'an authenticator app'}. ${codes} left.${because}`
}
