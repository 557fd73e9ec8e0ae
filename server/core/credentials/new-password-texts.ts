import { nameForEmail } from '../../platform/http/names.ts'
import type { Email } from '../../platform/mail/email.ts'
import { formatDate } from '../../platform/time/format-time.ts'

interface NamedPasskey {
  name: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** A new password ends neither passkeys nor the access of apps, of which an intruder may have added some. */
export interface RemainingAccess {
  passkeys: NamedPasskey[]
  hasApps: boolean
}

export interface AccessAfterNewPassword extends RemainingAccess {
  isTwoStepOff: boolean
}

const APPS_REMAIN =
  'The apps that you have allowed to see your data stay allowed. End the access of each app that you do not know, on the security page of your account.'

export function describeRemainingAccess(
  { passkeys, hasApps, isTwoStepOff }: RemainingAccess & { isTwoStepOff?: boolean },
  baseUrl: string,
): string[] {
  return [
    ...describePasskeys(passkeys, baseUrl),
    ...(hasApps ? [APPS_REMAIN] : []),
    ...(isTwoStepOff ? [TWO_STEP_OFF] : []),
  ]
}

export function findAccessAction({ passkeys, hasApps }: RemainingAccess, baseUrl: string): Email['action'] {
  const securityPage = `${baseUrl}/account/security`
  if (passkeys.length > 0) return { label: 'See your passkeys', url: securityPage }
  return hasApps ? { label: 'See your apps', url: `${securityPage}#apps` } : undefined
}

/** After a sign-in with the password alone, the security page may refuse to remove a passkey of an intruder. */
function describePasskeys(passkeys: NamedPasskey[], baseUrl: string): string[] {
  if (passkeys.length === 0) return []
  const names = passkeys.map(
    ({ name, createdAt }) => `“${nameForEmail(name, 'without a name')}”, added on ${formatDate(createdAt)}`,
  )
  return [
    `${passkeys.length === 1 ? 'This passkey still opens' : 'These passkeys still open'} your account: ${names.join('; ')}.`,
    `Remove each passkey that you do not know: untick it when you set a new password at ${baseUrl}/forgot-password.`,
  ]
}

export const TWO_STEP_OFF = 'Two-step verification is off now. Set it up after you sign in.'
