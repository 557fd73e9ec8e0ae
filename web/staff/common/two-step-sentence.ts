import type { Static } from 'typebox'
import type { SignInStatusResponse } from '../../../server/features/staff/sign-in-status/schemas.ts'
import { counted } from '../../shared/format/number.ts'
import { namesOf } from '../../shared/two-step/requirement-sentence.ts'

type TwoFactor = NonNullable<Static<typeof SignInStatusResponse>['twoFactor']>

/** "On, with an authenticator app. 8 recovery codes left." */
export function twoStepSentence({ enabled, method, recoveryCodesLeft, requiredBy }: TwoFactor): string {
  const because = requiredBy.length === 0 ? '' : ` Required by ${namesOf(requiredBy)}.`
  if (!enabled) return `Off.${because}`
  return `On, with ${method === 'otp' ? 'codes by email' : 'an authenticator app'}. ${counted(recoveryCodesLeft, 'recovery code')} left.${because}`
}
