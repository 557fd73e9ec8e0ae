import { nameForEmail } from '../../../platform/http/names.ts'
import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

interface Deletion {
  recipient: string
  organizationName: string
  deleterName: string
}

/** @param circumstances for the owner who deleted the organization; other owners do not see them */
export function organizationDeletedEmail({ recipient, ...names }: Deletion, circumstances?: Circumstances): Email {
  const organizationName = nameForEmail(names.organizationName, 'an organization')
  const deleterName = nameForEmail(names.deleterName, 'An owner')
  return {
    kind: 'organization deleted',
    recipient,
    subject: `The organization ${organizationName} was deleted`,
    heading: `${organizationName} was deleted`,
    paragraphs: [
      `${deleterName} deleted ${organizationName} with its memberships, invitations, API keys and apps. That can’t be undone.`,
      ...(circumstances ? [describeCircumstances(circumstances)] : []),
    ],
    footnote: circumstances
      ? 'If it was not you, change your password, and ask your administrator for help.'
      : 'If this comes as a surprise, ask your administrator.',
    reason: `you were an owner of ${organizationName}`,
  }
}
