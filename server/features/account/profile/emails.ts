import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Letter } from '../../../platform/mail/letter.ts'

export function deleteUserLetter(recipient: string, link: string, circumstances: Circumstances): Letter {
  return {
    kind: 'delete user',
    recipient,
    subject: 'Confirm that your account is to be deleted',
    heading: 'Delete your account?',
    paragraphs: [
      'Somebody who is signed in to your account asked to delete it. That can not be undone.',
      describeCircumstances(circumstances),
      'The button takes you to a page where you confirm it. It works once, within an hour.',
    ],
    action: { label: 'Go to the confirmation', url: link },
    footnote:
      'If it was not you, do not follow the link, and change your password: somebody else is signed in to your account.',
  }
}

export function userDeletedLetter(recipient: string, circumstances: Circumstances): Letter {
  return {
    kind: 'user deleted',
    recipient,
    subject: 'Your account was deleted',
    heading: 'Your account was deleted',
    paragraphs: [
      'Your account and everything that belonged to it was deleted: its sessions, passkeys and memberships. Only the record of what was done is kept.',
      describeCircumstances(circumstances),
    ],
    footnote: 'If it was not you, write to your administrator.',
  }
}
