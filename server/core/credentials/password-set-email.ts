import type { Email } from '../../platform/mail/email.ts'
import { describeRemainingPasskeys, type NamedPasskey, TWO_STEP_OFF } from './new-password-texts.ts'

interface Access {
  passkeys: NamedPasskey[]
  /** Whether the second step has ended with the former credentials. */
  isTwoStepOff: boolean
}

export function passwordSetByStaffEmail(recipient: string, baseUrl: string, { passkeys, isTwoStepOff }: Access): Email {
  return {
    kind: 'password set by staff',
    recipient,
    subject: 'Your password was set by an administrator',
    heading: 'Your password was set',
    paragraphs: [
      'An administrator has set a new password for your account. You are signed out everywhere.',
      'After you sign in, choose a password that only you know.',
      ...describeRemainingPasskeys(passkeys),
      ...(isTwoStepOff ? [TWO_STEP_OFF] : []),
    ],
    ...(passkeys.length > 0 && { action: { label: 'See your passkeys', url: `${baseUrl}/account/security` } }),
    footnote: 'If this comes as a surprise, ask your administrator.',
  }
}
