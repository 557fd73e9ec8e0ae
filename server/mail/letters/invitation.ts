import type { Letter } from '../letter.ts'

interface Invitation {
  recipient: string
  inviterName: string
  organizationName: string
  role: string
  link: string
}

export function invitationLetter({ recipient, inviterName, organizationName, role, link }: Invitation): Letter {
  return {
    kind: 'invitation',
    priority: 'low',
    recipient,
    subject: `${inviterName} invites you to ${organizationName}`,
    heading: `Join ${organizationName}`,
    paragraphs: [
      `${inviterName} invites you to ${organizationName} as ${role === 'member' ? 'a member' : `an ${role}`}.`,
      'The button takes you to a page where you make your account, or sign in if you have one. It works for 7 days.',
    ],
    action: { label: 'See the invitation', url: link },
    footnote: `This letter was sent to ${recipient}. If you do not know ${inviterName}, you need not do anything: without you nothing happens.`,
  }
}
