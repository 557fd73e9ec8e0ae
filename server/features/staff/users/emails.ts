import { addressForEmail, nameForEmail } from '../../../platform/http/names.ts'
import type { Email } from '../../../platform/mail/email.ts'

const SURPRISED = 'If this comes as a surprise, ask your administrator.'

export function accountCreatedEmail({
  recipient,
  name,
  link,
}: {
  recipient: string
  name: string
  link: string
}): Email {
  return {
    kind: 'account made',
    recipient,
    subject: 'Your account is ready: choose a password',
    heading: `Welcome, ${nameForEmail(name, 'new user')}`,
    paragraphs: [
      `An administrator has created an account for ${addressForEmail(recipient) ?? 'you'}. Choose a password to sign in.`,
      'The link works once, within an hour. After that, ask for a new link on the sign-in page.',
    ],
    action: { label: 'Choose a password', url: link },
    footnote: 'If you did not expect this email, ignore it. Without you, the account can’t be used.',
    reason: 'an administrator created an account with this address',
  }
}

export function passwordLinkByStaffEmail(recipient: string, link: string): Email {
  return {
    kind: 'password link by staff',
    recipient,
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    paragraphs: [
      'An administrator has sent you this link, so that you can choose a new password for your account.',
      'The link works once, within an hour. Until then, your password stays as it is.',
    ],
    action: { label: 'Choose a new password', url: link },
    footnote: SURPRISED,
  }
}

export function emailSetByStaffEmail(recipient: string, newEmail: string): Email {
  return {
    kind: 'email set by staff',
    recipient,
    subject: 'The email address of your account was changed by an administrator',
    heading: 'Your email address was changed',
    paragraphs: [
      `An administrator has changed the email address of your account from ${addressForEmail(recipient) ?? 'this one'} to ${addressForEmail(newEmail) ?? 'one that looks like a link'}.`,
      'You are signed out everywhere. From now on, sign in with the new email address.',
    ],
    footnote: SURPRISED,
    reason: 'your account used this address until now',
  }
}

/** An unverified address may belong to a stranger, so this email has no new address. */
export function unverifiedEmailSetByStaffEmail(recipient: string): Email {
  return {
    kind: 'email set by staff',
    recipient,
    subject: 'Your email address is no longer in use',
    heading: 'This email address is no longer in use',
    paragraphs: [
      `An administrator has changed the email address of an account that was registered with ${addressForEmail(recipient) ?? 'this one'}.`,
    ],
    footnote: 'If you do not know this account, there is nothing to do.',
    reason: 'an account was registered with this address',
  }
}

/** Without the network and device, which are those of the administrator. */
export function userDeletedByStaffEmail(recipient: string): Email {
  return {
    kind: 'user deleted',
    recipient,
    subject: 'Your account was deleted by an administrator',
    heading: 'Your account was deleted',
    paragraphs: [
      'An administrator has deleted your account, with its sessions, passkeys and memberships. Some records remain, such as the audit log.',
    ],
    footnote: SURPRISED,
    reason: 'your account used this address',
  }
}
