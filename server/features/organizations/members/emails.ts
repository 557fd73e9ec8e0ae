import type { OrganizationRole } from '../../../platform/database/tables.ts'
import { nameForEmail } from '../../../platform/http/names.ts'
import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

interface Transfer {
  recipient: string
  organizationId: string
  organizationName: string
  otherName: string
}

export function ownershipReceivedEmail({ recipient, organizationId, ...names }: Transfer): Email {
  const organizationName = nameForEmail(names.organizationName, 'an organization')
  const giverName = nameForEmail(names.otherName, 'A user')
  return {
    kind: 'ownership received',
    recipient,
    subjectId: organizationId,
    subject: `You are now an owner of ${organizationName}`,
    heading: `You are now an owner of ${organizationName}`,
    paragraphs: [
      `${giverName} made you an owner of ${organizationName} and is now an admin.`,
      'An owner may grant every role, and delete the organization.',
    ],
    reason: `you are a member of ${organizationName}`,
  }
}

export function ownershipGivenEmail(
  { recipient, organizationId, ...names }: Transfer,
  circumstances: Circumstances,
): Email {
  const organizationName = nameForEmail(names.organizationName, 'an organization')
  const receiverName = nameForEmail(names.otherName, 'Another member')
  return {
    kind: 'ownership given',
    recipient,
    subjectId: organizationId,
    subject: `You transferred the ownership of ${organizationName}`,
    heading: `You transferred the ownership of ${organizationName}`,
    paragraphs: [
      `${receiverName} is now an owner of ${organizationName}, and you are an admin.`,
      describeCircumstances(circumstances),
    ],
    footnote: 'If it was not you, change your password, and ask an owner or your administrator for help.',
  }
}

/** @param role null for a removal @param circumstances for an owner who changed the own role */
export function ownershipEndedEmail(
  { recipient, organizationId, ...names }: Transfer,
  role: OrganizationRole | null,
  circumstances?: Circumstances,
): Email {
  const organizationName = nameForEmail(names.organizationName, 'an organization')
  const otherName = nameForEmail(names.otherName, 'A user')
  return {
    kind: 'ownership ended',
    recipient,
    subjectId: organizationId,
    subject: `You are no longer an owner of ${organizationName}`,
    heading: `You are no longer an owner of ${organizationName}`,
    paragraphs: [
      role === null
        ? `${otherName} removed you from ${organizationName}.`
        : `${circumstances ? 'You' : otherName} changed your role in ${organizationName} to ${role}.`,
      ...(circumstances ? [describeCircumstances(circumstances)] : []),
    ],
    footnote: circumstances
      ? 'If it was not you, change your password, and ask an owner or your administrator for help.'
      : 'If this comes as a surprise, ask another owner or your administrator.',
    reason: `you were an owner of ${organizationName}`,
  }
}
