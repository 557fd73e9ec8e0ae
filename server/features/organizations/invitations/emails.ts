import type { OrganizationRole } from '../../../platform/database/tables.ts'
import { addressForEmail, nameForEmail } from '../../../platform/http/names.ts'
import type { Email } from '../../../platform/mail/email.ts'

interface Invitation {
  recipient: string
  inviterName: string
  inviterEmail: string
  organizationName: string
  role: OrganizationRole
  link: string
}

export function invitationEmail({ recipient, inviterEmail, role, link, ...names }: Invitation): Email {
  const inviterName = nameForEmail(names.inviterName, 'A user')
  const organizationName = nameForEmail(names.organizationName, 'an organization')
  const inviterAddress = addressForEmail(inviterEmail) ?? 'whose email address looks like a link'
  return {
    kind: 'invitation',
    priority: 'low',
    recipient,
    subject: `Invitation to ${organizationName}`,
    heading: `Join ${organizationName}`,
    paragraphs: [
      `${inviterName} (${inviterAddress}) invites you to ${organizationName} as ${role === 'member' ? 'a member' : `an ${role}`}.`,
      'The link takes you to a page where you create an account, or sign in if you have one. It works for 7 days.',
    ],
    action: { label: 'See the invitation', url: link },
    footnote: `If you do not know ${inviterName}, ignore this email: nothing happens without you.`,
    reason: `${inviterName} invited you`,
  }
}
