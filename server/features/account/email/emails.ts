import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

export function emailVerificationEmail(recipient: string, link: string): Email {
  return {
    kind: 'verify email',
    recipient,
    subject: 'Confirm your e-mail address',
    heading: 'Confirm your e-mail address',
    paragraphs: ['Confirm that this address is yours. The link works once, within 24 hours.'],
    action: { label: 'Confirm this address', url: link },
    footnote: 'If you did not ask for this letter, you need not do anything.',
  }
}

export function emailChangeEmail(recipient: string, link: string, circumstances: Circumstances): Email {
  return {
    kind: 'change email',
    recipient,
    subject: 'Confirm your new e-mail address',
    heading: 'Confirm your new e-mail address',
    paragraphs: [
      'Somebody asked to use this address for their account.',
      describeCircumstances(circumstances),
      'Confirm that it is yours, and the account changes to it. The link works once, within an hour.',
    ],
    action: { label: 'Use this address', url: link },
    footnote: 'If it was not you, you need not do anything: without you nothing changes.',
  }
}

/** Does not name the new address: the present one may be mistyped, and belong to a stranger. */
export function emailChangeRequestedEmail(
  recipient: string,
  securityPage: string,
  circumstances: Circumstances,
): Email {
  return {
    kind: 'email change requested',
    recipient,
    subject: 'Another email address was asked for',
    heading: 'Another email address was asked for',
    paragraphs: [
      'A signed-in user of your account asked to use another email address. Nothing has changed yet.',
      describeCircumstances(circumstances),
      'The account changes when the link in the other mailbox is used, within an hour.',
    ],
    action: { label: 'See your account', url: securityPage },
    footnote:
      'If it was you, there is nothing to do. If it was not, sign in and change your password: every other session is signed out then, and the change is canceled.',
  }
}

/** For an address that was never verified: it says nothing about the account, and opens nothing. */
export function unverifiedEmailChangedEmail(recipient: string): Email {
  return {
    kind: 'email changed',
    recipient,
    subject: 'Your email address is no longer in use',
    heading: 'This email address is no longer in use',
    paragraphs: [
      `An account that was registered with ${recipient} now uses another email address. This address was never confirmed, so it can not be used to take the account back.`,
    ],
    footnote: 'If you know nothing of this account, there is nothing to do.',
  }
}

export function emailChangedEmail(
  recipient: string,
  newEmail: string,
  undoLink: string,
  circumstances: Circumstances,
): Email {
  return {
    kind: 'email changed',
    recipient,
    subject: 'Your e-mail address was changed',
    heading: 'Your e-mail address was changed',
    paragraphs: [
      `Your account now uses ${newEmail} instead of this address.`,
      describeCircumstances(circumstances),
      'If it was not you, take the account back: the address changes back to this one, everybody is signed out, and you set a new password. The link works once, within 7 days.',
    ],
    action: { label: 'It was not me', url: undoLink },
    footnote: 'If it was you, there is nothing to do.',
  }
}

export function emailRestoredEmail(recipient: string, link: string, circumstances: Circumstances): Email {
  return {
    kind: 'email restored',
    recipient,
    subject: 'Your account is back: set a new password',
    heading: 'Your account is back',
    paragraphs: [
      'The change of your e-mail address was undone. Everybody was signed out, and the old password and passkeys no longer work.',
      describeCircumstances(circumstances),
      'Set a new password to sign in again. The link works once, within an hour; later you can ask for another one on the sign-in page.',
    ],
    action: { label: 'Choose a new password', url: link },
    footnote: `This letter was sent to ${recipient}.`,
  }
}

export function setPasswordEmail(recipient: string, link: string): Email {
  return {
    kind: 'set password',
    recipient,
    subject: 'Choose a password for your account',
    heading: 'Choose a password',
    paragraphs: [
      'Your address is confirmed. So that the account is yours alone, choose a password now; earlier passwords and passkeys no longer work.',
      'The link works once, within an hour; later you can ask for another one on the sign-in page.',
    ],
    action: { label: 'Choose a password', url: link },
    footnote: `This letter was sent to ${recipient}.`,
  }
}
