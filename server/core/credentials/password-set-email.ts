import type { Email } from '../../platform/mail/email.ts'
import { describeRemainingPasskeys, type NamedPasskey } from './remaining-passkeys.ts'

export function passwordSetByStaffEmail(recipient: string, baseUrl: string, passkeys: NamedPasskey[]): Email {
  return {
    kind: 'password set by staff',
    recipient,
    subject: 'Your password was set by an administrator',
    heading: 'Your password was set',
    paragraphs: [
      'An administrator has set a new password for your account. You are signed out everywhere.',
      'After you sign in, choose a password that only you know.',
      ...describeRemainingPasskeys(passkeys),
    ],
    ...(passkeys.length > 0 && { action: { label: 'See your passkeys', url: `${baseUrl}/account/security` } }),
    footnote: 'If this comes as a surprise, ask your administrator.',
  }
}
