import { describeRemainingPasskeys, type NamedPasskey } from '../../../core/credentials/remaining-passkeys.ts'
import type { Email } from '../../../platform/mail/email.ts'

const ASK = 'If this comes as a surprise, ask your administrator.'

export function passwordSetByStaffEmail(recipient: string, baseUrl: string, passkeys: NamedPasskey[]): Email {
  return {
    kind: 'password set by staff',
    recipient,
    subject: 'Your password was set by an administrator',
    heading: 'Your password was set',
    paragraphs: [
      'An administrator has given your account a new password. You are signed out everywhere.',
      'Once you are signed in again, choose a password that only you know.',
      ...describeRemainingPasskeys(passkeys),
    ],
    ...(passkeys.length > 0 && { action: { label: 'See your passkeys', url: `${baseUrl}/account/security` } }),
    footnote: ASK,
  }
}

export function emailSetByStaffEmail({ recipient, newEmail }: { recipient: string; newEmail: string }): Email {
  return {
    kind: 'email set by staff',
    recipient,
    subject: 'The address of your account was changed by an administrator',
    heading: 'Your account has another address',
    paragraphs: [
      `An administrator has changed the address of your account from ${recipient} to ${newEmail}.`,
      'You are signed out everywhere. From now on, sign in with the new address.',
    ],
    footnote: ASK,
  }
}
