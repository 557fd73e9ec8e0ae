import { toIso } from '../../../platform/http/time.ts'
import { formatTime } from '../../../platform/time/format-time.ts'
import type { SignInFacts } from './read-facts.ts'
import type { SignInReason } from './schemas.ts'

export function twoStepLocked({ twoStep }: SignInFacts): SignInReason | undefined {
  if (twoStep?.lockEndsAt === undefined) return undefined
  const { lockEndsAt } = twoStep
  const message = `Too many wrong codes were entered in the second step. Codes and recovery codes work again on ${formatTime(lockEndsAt)}. A passkey works now, and so does the password on a trusted device.`
  return { code: 'TWO_STEP_LOCKED', message, until: toIso(lockEndsAt) }
}

/** A user with passkeys alone always has two steps. */
export function twoStepRequired({ twoStep, passwordChangedAt, passkeys }: SignInFacts): SignInReason | undefined {
  if (!twoStep || twoStep.method !== undefined || twoStep.requiredBy.length === 0) return undefined
  if (passwordChangedAt === undefined && passkeys.length > 0) return undefined
  const names = twoStep.requiredBy.map((one) => (one.kind === 'service' ? 'this service' : one.name))
  const message = `Two-step verification is required by ${new Intl.ListFormat('en-GB').format(names)}, and the user has not set it up. The user can sign in, but other services refuse the user until it is set up on the security page. A sign-in with a passkey counts too.`
  return { code: 'TWO_STEP_REQUIRED', message }
}

/** For the call “I lost my phone”. */
export function twoStepEnabled({ twoStep, passkeys, email }: SignInFacts): SignInReason | undefined {
  if (twoStep?.method === undefined) return undefined
  const source = twoStep.method === 'totp' ? 'of the authenticator app' : `that we send to ${email}`
  const message = [
    `After the password, the user enters a code ${source}.`,
    describeRecoveryCodes(twoStep.recoveryCodeCount),
    ...(passkeys.length > 0 ? ['A passkey works without a code.'] : []),
    'For a user who has lost all of these, an administrator can reset two-step verification.',
  ].join(' ')
  return { code: 'TWO_STEP_ENABLED', message }
}

function describeRecoveryCodes(count: number): string {
  if (count === 0) return 'No recovery code is left.'
  return count === 1
    ? 'One recovery code is left, and works instead.'
    : `${count} recovery codes are left, and each works once instead.`
}
