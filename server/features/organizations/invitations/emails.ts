import { nameForEmail } from '../../../platform/http/names.ts'
import type { Email } from '../../../platform/mail/email.ts'

interface Invitation {
  recipient: string
  inviterName: string
  organizationName: string
  role: string
  link: string
}

export function invitationEmail({ recipient, role, link, ...names }: Invitation): Email {
  const inviterName = nameForEmail(names.inviterName, 'A user')
  const organizationName = nameForEmail(names.organizationName, 'an organization')
  return {
    kind: 'invitation',
    priority: 'low',
    recipient,
    subject: `Invitation to ${organizationName}`,
    heading: `Join ${organizationName}`,
    paragraphs: [
      `${inviterName} invites you to ${organizationName} as ${role === 'member' ? 'a member' : `an ${role}`}.`,
      'The button takes you to a page where you create an account, or sign in if you have one. It works for 7 days.',
    ],
    action: { label: 'See the invitation', url: link },
    footnote: `This email was sent to ${recipient}. If you do not know ${inviterName}, ignore it: nothing happens without you.`,
  }
}
