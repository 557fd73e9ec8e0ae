import { describeRemainingPasskeys, type NamedPasskey } from '../../../core/credentials/remaining-passkeys.ts'
import type { Letter } from '../../../platform/mail/letter.ts'

const ASK = 'If this comes as a surprise, ask your administrator.'

export function passwordSetByStaffLetter(recipient: string, baseUrl: string, passkeys: NamedPasskey[]): Letter {
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

export function emailSetByStaffLetter({ recipient, newEmail }: { recipient: string; newEmail: string }): Letter {
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
