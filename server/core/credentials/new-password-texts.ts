import { nameForEmail } from '../../platform/http/names.ts'
import { formatDate } from '../../platform/time/format-time.ts'

export interface NamedPasskey {
  name: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** For emails about a new password, which does not delete the passkeys of an intruder. */
export function describeRemainingPasskeys(passkeys: NamedPasskey[]): string[] {
  if (passkeys.length === 0) return []
  const names = passkeys.map(
    ({ name, createdAt }) => `“${nameForEmail(name, 'without a name')}”, added on ${formatDate(createdAt)}`,
  )
  return [
    `${passkeys.length === 1 ? 'This passkey still opens' : 'These passkeys still open'} your account: ${names.join('; ')}.`,
    'Remove each passkey that you do not know, on the security page of your account.',
  ]
}

/** For emails about a new password, after which the account has no second step any more. */
export const TWO_STEP_OFF = 'Two-step verification is off now: after you sign in, set it up again.'
