import {
  type AccessAfterNewPassword,
  describeRemainingAccess,
  findAccessAction,
  type RemainingAccess,
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
  remaining: RemainingAccess,
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
      ...describeRemainingAccess(remaining, baseUrl),
      'If it was you, there is nothing else to do. If it was not, set a new password now. That page shows your passkeys: remove those that are not yours.',
    ],
    action: { label: 'It was not me', url: `${baseUrl}/forgot-password` },
    footnote: `Your passkeys and sessions: ${baseUrl}/account/security`,
  }
}

/** A reset ends neither passkeys nor the access of apps. The button leads to those that an intruder may have added. */
export function passwordResetEmail(
  recipient: string,
  baseUrl: string,
  access: AccessAfterNewPassword,
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
      ...describeRemainingAccess(access, baseUrl),
    ],
    action: findAccessAction(access, baseUrl) ?? { label: 'It was not me', url: `${baseUrl}/forgot-password` },
    footnote: `If it was not you, an intruder may read your mailbox: secure it, then set a new password at ${baseUrl}/forgot-password.`,
  }
}
