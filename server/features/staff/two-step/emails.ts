import type { Email } from '../../../platform/mail/email.ts'

export function twoStepResetEmail(recipient: string, baseUrl: string): Email {
  return {
    kind: 'two-step reset by staff',
    recipient,
    subject: 'Two-step verification was reset',
    heading: 'Two-step verification was reset',
    paragraphs: [
      'An administrator has reset the two-step verification of your account. Your codes, recovery codes and trusted devices no longer work, and you are signed out everywhere.',
      'Sign in again, and set up two-step verification on your security page.',
    ],
    action: { label: 'Set up two-step verification', url: `${baseUrl}/account/security` },
    footnote:
      'If you did not ask for this, set a new password now and tell your administrator: an attacker may have asked in your name.',
  }
}
