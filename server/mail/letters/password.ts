import type { Letter } from '../letter.ts'
import { type Circumstances, describeCircumstances } from './circumstances.ts'

export function resetPasswordLetter(recipient: string, link: string, circumstances: Circumstances): Letter {
  return {
    kind: 'reset password',
    recipient,
    subject: 'Set a new password',
    heading: 'Set a new password',
    paragraphs: [
      'Somebody asked to set a new password for the account with this address.',
      describeCircumstances(circumstances),
      'The button takes you to a page where you choose it. It works once, within an hour.',
    ],
    action: { label: 'Choose a new password', url: link },
    footnote: 'If it was not you, you need not do anything: your password stays as it is.',
  }
}

export function passwordChangedLetter(recipient: string, resetPageUrl: string, circumstances: Circumstances): Letter {
  return {
    kind: 'password changed',
    recipient,
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and every other session was signed out.',
      describeCircumstances(circumstances),
    ],
    action: { label: 'It was not me', url: resetPageUrl },
    footnote:
      'If it was you, there is nothing to do. If it was not, set a new password now: whoever did it is signed out then.',
  }
}

export function setPasswordLetter(recipient: string, link: string): Letter {
  return {
    kind: 'set password',
    recipient,
    subject: 'Choose a password for your account',
    heading: 'Choose a password',
    paragraphs: [
      'Your address is confirmed. So that the account is yours alone, choose a password now; earlier ones no longer work.',
      'The link works once, within an hour; later you can ask for another one on the sign-in page.',
    ],
    action: { label: 'Choose a password', url: link },
    footnote: `This letter was sent to ${recipient}.`,
  }
}
