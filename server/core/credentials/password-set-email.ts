import type { Email } from '../../platform/mail/email.ts'
import { type AccessAfterNewPassword, describeRemainingAccess, findAccessAction } from './new-password-texts.ts'

export function passwordSetByStaffEmail(recipient: string, baseUrl: string, access: AccessAfterNewPassword): Email {
  const action = findAccessAction(access, baseUrl)
  return {
    kind: 'password set by staff',
    recipient,
    subject: 'Your password was set by an administrator',
    heading: 'Your password was set',
    paragraphs: [
      'An administrator has set a new password for your account. You are signed out everywhere.',
      'After you sign in, choose a password that only you know.',
      ...describeRemainingAccess(access, baseUrl),
    ],
    ...(action && { action }),
    footnote: 'If this comes as a surprise, ask your administrator.',
  }
}
