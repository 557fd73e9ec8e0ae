import type { SecondStepMethod } from '../../../platform/database/tables.ts'
import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

const LABEL = { totp: 'an authenticator app', otp: 'codes by email' }

export function twoStepEnabledEmail(method: SecondStepMethod, baseUrl: string, circumstances: Circumstances): Email {
  return {
    kind: 'two-step enabled',
    recipient: '',
    subject: 'Two-step verification is on',
    heading: 'Two-step verification is on',
    paragraphs: [
      `Your account is now protected by a second step: ${LABEL[method]}. Every other session was signed out.`,
      describeCircumstances(circumstances),
      'Have your recovery codes at hand: they let you in when you can’t get a code.',
    ],
    action: { label: 'See your sign-in settings', url: `${baseUrl}/account/security` },
    footnote:
      'If it was not you, ask the staff of this service to reset two-step verification, and change your password.',
  }
}

export function twoStepDisabledEmail(baseUrl: string, circumstances: Circumstances): Email {
  return {
    kind: 'two-step disabled',
    recipient: '',
    subject: 'Two-step verification is off',
    heading: 'Two-step verification is off',
    paragraphs: [
      'Your account no longer asks for a second step. Every other session was signed out.',
      describeCircumstances(circumstances),
      'If it was you, there is nothing to do. If it was not, set a new password now.',
    ],
    action: { label: 'It was not me', url: `${baseUrl}/forgot-password` },
    footnote: `Your sign-in settings: ${baseUrl}/account/security`,
  }
}

/** Wrong codes follow a right password, or come from a session that asks for step-up. */
export function secondStepLockedEmail(baseUrl: string, circumstances: Circumstances): Email {
  return {
    kind: 'second step locked',
    recipient: '',
    subject: 'Too many wrong codes',
    heading: 'Too many wrong codes',
    paragraphs: [
      'The code of the second step was wrong ten times: at a sign-in with your password, or on a device that is signed in to your account. Codes are refused for 15 minutes.',
      describeCircumstances(circumstances),
      'If it was you, wait and try again, or use a recovery code then. If it was not, another person knows your password or is signed in to your account: change the password, which signs out every device.',
    ],
    action: { label: 'Change your password', url: `${baseUrl}/forgot-password` },
  }
}

export function recoveryCodeUsedEmail(remainingCount: number, baseUrl: string, circumstances: Circumstances): Email {
  return {
    kind: 'recovery code used',
    recipient: '',
    subject: 'A recovery code was used',
    heading: 'A recovery code was used',
    paragraphs: [
      `A recovery code replaced the second step of your account. ${describeRemaining(remainingCount)}`,
      describeCircumstances(circumstances),
      'If it was you, there is nothing to do. If it was not, another person has this code, and knows your password or is signed in to your account: change the password, which signs out every device, and create new recovery codes.',
    ],
    action: { label: 'See your sign-in settings', url: `${baseUrl}/account/security` },
  }
}

function describeRemaining(count: number): string {
  if (count === 0) return 'No recovery codes are left: create new ones.'
  return count === 1 ? 'One recovery code is left.' : `${count} recovery codes are left.`
}

export function recoveryCodesCreatedEmail(baseUrl: string, circumstances: Circumstances): Email {
  return {
    kind: 'recovery codes created',
    recipient: '',
    subject: 'New recovery codes',
    heading: 'New recovery codes',
    paragraphs: [
      'New recovery codes were created for your account. The former ones no longer work.',
      describeCircumstances(circumstances),
      'If it was you, there is nothing to do. If it was not, change your password and create codes again.',
    ],
    action: { label: 'See your sign-in settings', url: `${baseUrl}/account/security` },
  }
}

export function totpSecretShownEmail(recipient: string, baseUrl: string, circumstances: Circumstances): Email {
  return {
    kind: 'two-step key shown',
    recipient,
    subject: 'The key of your authenticator app was shown',
    heading: 'The key of your authenticator app was shown',
    paragraphs: [
      'The key of your authenticator app was shown to a device that is signed in to your account. Every app with this key makes the same codes as yours.',
      describeCircumstances(circumstances),
      'If it was you, there is nothing to do. If it was not, change your password, and set up two-step verification on a new phone, which makes a new key.',
    ],
    action: { label: 'See your sign-in settings', url: `${baseUrl}/account/security` },
  }
}

export function secondStepCodeEmail(recipient: string, code: string, circumstances: Circumstances): Email {
  return {
    kind: 'second step code',
    recipient,
    subject: 'Your code',
    heading: 'Your code',
    paragraphs: [
      `Your code: ${code}. Enter it on the page that asked for it.`,
      'It works once, for 5 minutes, and nowhere else. The staff of this service never ask for it.',
      describeCircumstances(circumstances),
    ],
    footnote:
      'If it was not you, another person knows your password or is signed in to your account: change the password, which signs out every device.',
  }
}
