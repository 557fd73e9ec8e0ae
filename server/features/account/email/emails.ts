import { TWO_STEP_OFF } from '../../../core/credentials/new-password-texts.ts'
import type { SecondStepMethod } from '../../../platform/database/tables.ts'
import { addressForEmail } from '../../../platform/http/names.ts'
import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

export function emailVerificationEmail(recipient: string, link: string): Email {
  return {
    kind: 'verify email',
    recipient,
    subject: 'Verify your email address',
    heading: 'Verify your email address',
    paragraphs: ['Verify that this email address is yours. The link works once, within 24 hours.'],
    action: { label: 'Verify this email address', url: link },
    footnote: 'If you did not ask for this email, there is nothing to do.',
    reason: 'an account was registered with this address',
  }
}

export function emailChangeEmail(recipient: string, link: string, circumstances: Circumstances): Email {
  return {
    kind: 'change email',
    recipient,
    subject: 'Verify your new email address',
    heading: 'Verify your new email address',
    paragraphs: [
      'A user asked to use this email address for their account.',
      describeCircumstances(circumstances),
      'Verify that it is yours, and the account changes to it. The link works once, within an hour.',
    ],
    action: { label: 'Use this address', url: link },
    footnote: 'If it was not you, there is nothing to do: nothing changes without you.',
    reason: 'a user asked to use this address for their account',
  }
}

/** Does not contain the new address: the current one may be mistyped and belong to a stranger. */
export function emailChangeRequestedEmail(
  recipient: string,
  securityPage: string,
  circumstances: Circumstances,
): Email {
  return {
    kind: 'email change requested',
    recipient,
    subject: 'Another email address was requested',
    heading: 'Another email address was requested',
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

/** An unverified address may belong to a stranger, so this email has no link and no new address. */
export function unverifiedEmailChangedEmail(recipient: string): Email {
  return {
    kind: 'email changed',
    recipient,
    subject: 'Your email address is no longer in use',
    heading: 'This email address is no longer in use',
    paragraphs: [
      `An account that was registered with ${addressForEmail(recipient) ?? 'this address'} now uses another email address. This address was never verified, so it can’t be used to take the account back.`,
    ],
    footnote: 'If you do not know this account, there is nothing to do.',
    reason: 'an account was registered with this address',
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
    subject: 'Your email address was changed',
    heading: 'Your email address was changed',
    paragraphs: [
      `Your account now uses ${addressForEmail(newEmail) ?? 'an email address that looks like a link,'} instead of this address.`,
      describeCircumstances(circumstances),
      'If it was not you, take the account back: the email address changes back to this one, every session is signed out, and you set a new password. The link works once, within 7 days.',
    ],
    action: { label: 'It was not me', url: undoLink },
    footnote: 'If it was you, there is nothing to do.',
    reason: 'your account used this address until now',
  }
}

const LATER_CODES = 'Two-step verification stays on. Recovery codes that were created after the change no longer work.'
/** An intruder could read the key of the app, and create recovery codes before the change, which stay. */
const SECOND_STEP: Record<SecondStepMethod | 'off', string> = {
  totp: `${LATER_CODES} Another person may have the earlier ones, and the key of your authenticator app: after you sign in, set up two-step verification on a new phone, which makes a new key and new codes.`,
  otp: `${LATER_CODES} Another person may have the earlier ones: after you sign in, create new ones.`,
  off: TWO_STEP_OFF,
}

/** @param secondStep from before the change; `off` if there was one and none is left */
export function emailRestoredEmail(
  recipient: string,
  link: string,
  secondStep: SecondStepMethod | 'off' | undefined,
  circumstances: Circumstances,
): Email {
  return {
    kind: 'email restored',
    recipient,
    subject: 'Your account is back: set a new password',
    heading: 'Your account is back',
    paragraphs: [
      'The change of your email address was undone. Every session was signed out, and the old password and passkeys no longer work.',
      describeCircumstances(circumstances),
      'Set a new password to sign in again. The link works once, within an hour; later you can ask for another one on the sign-in page.',
      ...(secondStep ? [SECOND_STEP[secondStep]] : []),
    ],
    action: { label: 'Choose a new password', url: link },
  }
}

/** For a change back without the link of the earlier mailbox. The recipient may be a stranger. */
export function emailChangedBackEmail(recipient: string): Email {
  return {
    kind: 'email changed',
    recipient,
    subject: 'Your email address is no longer in use',
    heading: 'This email address is no longer in use',
    paragraphs: ['Your account uses an earlier email address again: it was changed back in a signed-in browser.'],
    footnote: 'If this comes as a surprise, ask your administrator.',
    reason: 'your account used this address until now',
  }
}

/** Has no link, email address, network or device, because the recipient may be the intruder. */
export function emailChangeUndoneEmail(recipient: string): Email {
  return {
    kind: 'email changed',
    recipient,
    subject: 'Your email address is no longer in use',
    heading: 'This email address is no longer in use',
    paragraphs: [
      'Your account uses an earlier email address again: the change was undone with a link in the earlier mailbox. Every session was signed out, and the old password and passkeys no longer work.',
    ],
    footnote: 'If this comes as a surprise, ask your administrator.',
    reason: 'your account used this address until now',
  }
}

export function setPasswordEmail(recipient: string, link: string, isTwoStepOff: boolean): Email {
  return {
    kind: 'set password',
    recipient,
    subject: 'Choose a password for your account',
    heading: 'Choose a password',
    paragraphs: [
      'Your email address is verified. Choose a password now, so that only you can use the account; earlier passwords and passkeys no longer work.',
      ...(isTwoStepOff ? [TWO_STEP_OFF] : []),
      'The link works once, within an hour; later you can ask for another one on the sign-in page.',
    ],
    action: { label: 'Choose a password', url: link },
  }
}
