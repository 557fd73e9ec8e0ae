import type { Context } from '../../../core/context.ts'
import { prepareEmailFrom } from '../../../core/in-transaction.ts'
import { INVITATION_LIFETIME_MILLISECONDS } from '../../../core/invitations/expiry.ts'
import { formatReference } from '../../../core/invitations/reference.ts'
import { hashToken, newId, newToken } from '../../../platform/crypto/tokens.ts'
import type { InvitationRow, OrganizationRole, OrganizationRow, UserRow } from '../../../platform/database/tables.ts'
import { type PreparedEmail, prepareEmail } from '../../../platform/mail/outbox.ts'
import { invitationEmail } from './emails.ts'

export interface PreparedInvitation {
  draft: InvitationRow
  emailFor: (locked: { id: string; organizationName: string }) => PreparedEmail
}

interface NewInvitation {
  organization: Pick<OrganizationRow, 'id' | 'name'>
  inviter: Pick<UserRow, 'id' | 'name' | 'email'>
  /** From `parseEmailAddress`. */
  email: string
  role: OrganizationRole
}

/** Renders and encrypts the email of a new invitation before the transaction. */
export function prepareInvitation(context: Context, invitation: NewInvitation): PreparedInvitation {
  const drafted = draftInvitation(context, invitation)
  return drafted.render(drafted.draft.id)
}

export interface DraftInvitation extends PreparedInvitation {
  /** @param id of the invitation that will probably be inserted or renewed */
  render: (id: string) => PreparedInvitation
}

/** An invitation that is probably refused needs no email. Without a call of `render`, the transaction renders it. */
export function draftInvitation(
  context: Context,
  { organization, inviter, email, role }: NewInvitation,
): DraftInvitation {
  const secret = newToken(context)
  const createdAt = context.now()
  const draft: InvitationRow = {
    id: newId('inv', context),
    organizationId: organization.id,
    email,
    role,
    inviterId: inviter.id,
    status: 'pending',
    secretHash: hashToken(secret),
    createdAt,
    expiresAt: createdAt + INVITATION_LIFETIME_MILLISECONDS,
  }
  const emailFor: PreparedInvitation['emailFor'] = ({ id, organizationName }) => {
    const link = `${context.config.baseUrl}/invite/${formatReference(id, secret)}`
    const names = { inviterName: inviter.name, inviterEmail: inviter.email, organizationName }
    const message = invitationEmail({ recipient: email, role, link, ...names })
    return prepareEmail(context, { ...message, subjectId: id, organizationId: organization.id })
  }
  const render: DraftInvitation['render'] = (id) => {
    const expected = { id, organizationName: organization.name }
    return { draft, emailFor: prepareEmailFrom(expected, emailFor) }
  }
  return { draft, emailFor, render }
}
