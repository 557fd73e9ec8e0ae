import { nameForEmail } from '../../../platform/http/names.ts'
import type { Email } from '../../../platform/mail/email.ts'

interface AccountMade {
  recipient: string
  name: string
  /** Where the person sets a password; it works once, for an hour. */
  link: string
}

export function accountCreatedEmail({ recipient, name, link }: AccountMade): Email {
  return {
    kind: 'account made',
    recipient,
    subject: 'Your account is ready: choose a password',
    heading: `Welcome, ${nameForEmail(name, 'new user')}`,
    paragraphs: [
      `An administrator has made an account for ${recipient}. Choose a password, and you can sign in.`,
      'The button works once, within an hour. After that, ask for another one where you sign in, as if you had forgotten it.',
    ],
    action: { label: 'Choose a password', url: link },
    footnote: 'If you know nothing of this, you need not do anything: without you nobody can sign in.',
  }
}
