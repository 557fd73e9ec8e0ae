import {
  describeRemainingPasskeys,
  type NamedPasskey,
  TWO_STEP_OFF,
} from '../../../core/credentials/new-password-texts.ts'
import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

export function resetPasswordEmail(recipient: string, link: string, circumstances: Circumstances): Email {
  return {
    kind: 'reset password',
    recipient,
    subject: 'Set a new password',
    heading: 'Set a new password',
    paragraphs: [
      'A new password was requested for the account with this email address.',
      describeCircumstances(circumstances),
      'The link takes you to a page where you choose it. It works once, within an hour.',
    ],
    action: { label: 'Choose a new password', url: link },
    footnote: 'If it was not you, you need not do anything: your password stays as it is.',
  }
}

export function passwordChangedEmail(
  recipient: string,
  baseUrl: string,
  passkeys: NamedPasskey[],
  circumstances: Circumstances,
): Email {
  return {
    kind: 'password changed',
    recipient,
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and every other session was signed out.',
      describeCircumstances(circumstances),
      ...describeRemainingPasskeys(passkeys),
      'If it was you, there is nothing else to do. If it was not, set a new password now. That page shows your passkeys: remove those that are not yours.',
    ],
    action: { label: 'It was not me', url: `${baseUrl}/forgot-password` },
    footnote: `Your passkeys and sessions: ${baseUrl}/account/security`,
  }
}

const APPS_REMAIN =
  'The apps that you have allowed to see your data stay allowed. End the access of each app that you do not know, on the security page of your account.'

interface Remaining {
  passkeys: NamedPasskey[]
  /** Whether the user has allowed apps to see data. */
  hasApps: boolean
  /** Whether the reset has ended the second step. */
  isTwoStepOff: boolean
}

/**
 * A reset ends neither passkeys nor the access of apps, of which an intruder may have added some. So the button leads to
 * them. What an intruder did in organizations, such as an API key, stays too: their owners see it there.
 */
export function passwordResetEmail(
  recipient: string,
  baseUrl: string,
  { passkeys, hasApps, isTwoStepOff }: Remaining,
  circumstances: Circumstances,
): Email {
  return {
    kind: 'password changed',
    recipient,
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: [
      'The password of your account was set by a one-time link, and every session was signed out.',
      describeCircumstances(circumstances),
      ...describeRemainingPasskeys(passkeys),
      ...(hasApps ? [APPS_REMAIN] : []),
      ...(isTwoStepOff ? [TWO_STEP_OFF] : []),
    ],
    action: chooseAction({ passkeys, hasApps }, baseUrl),
    footnote: `If it was not you, an intruder may read your mailbox: secure it, then set a new password at ${baseUrl}/forgot-password.`,
  }
}

function chooseAction(
  { passkeys, hasApps }: Omit<Remaining, 'isTwoStepOff'>,
  baseUrl: string,
): NonNullable<Email['action']> {
  const securityPage = `${baseUrl}/account/security`
  if (passkeys.length > 0) return { label: 'See your passkeys', url: securityPage }
  if (hasApps) return { label: 'See your apps', url: `${securityPage}#apps` }
  return { label: 'It was not me', url: `${baseUrl}/forgot-password` }
}
