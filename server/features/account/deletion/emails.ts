import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

export function userDeletionEmail(recipient: string, link: string, circumstances: Circumstances): Email {
  return {
    kind: 'delete user',
    recipient,
    subject: 'Confirm the deletion of your account',
    heading: 'Delete your account?',
    paragraphs: [
      'A signed-in user of your account asked to delete it. That can’t be undone.',
      describeCircumstances(circumstances),
      'The link takes you to a page where you confirm it. It works once, within an hour.',
    ],
    action: { label: 'Go to the confirmation', url: link },
    footnote:
      'If it was not you, do not follow the link, and change your password: an intruder is signed in to your account.',
  }
}

export function userDeletedEmail(recipient: string, circumstances: Circumstances): Email {
  return {
    kind: 'user deleted',
    recipient,
    subject: 'Your account was deleted',
    heading: 'Your account was deleted',
    paragraphs: [
      'Your account was deleted, with its sessions, passkeys and memberships. Some records remain, such as the audit log.',
      describeCircumstances(circumstances),
    ],
    footnote: 'If it was not you, write to your administrator.',
    reason: 'your account used this address',
  }
}
