import type { Email } from '../../platform/mail/email.ts'
import { describeRemainingAccess, findAccessAction, type RemainingAccess, TWO_STEP_OFF } from './new-password-texts.ts'

interface Access extends RemainingAccess {
  isTwoStepOff: boolean
}

export function passwordSetByStaffEmail(
  recipient: string,
  baseUrl: string,
  { isTwoStepOff, ...remaining }: Access,
): Email {
  const action = findAccessAction(remaining, baseUrl)
  return {
    kind: 'password set by staff',
    recipient,
    subject: 'Your password was set by an administrator',
    heading: 'Your password was set',
    paragraphs: [
      'An administrator has set a new password for your account. You are signed out everywhere.',
      'After you sign in, choose a password that only you know.',
      ...describeRemainingAccess(remaining, baseUrl),
      ...(isTwoStepOff ? [TWO_STEP_OFF] : []),
    ],
    ...(action && { action }),
    footnote: 'If this comes as a surprise, ask your administrator.',
  }
}
