import type { Context } from '../../../core/context.ts'
import { prepareEmailFrom } from '../../../core/in-transaction.ts'
import { formatReference } from '../../../core/invitations/reference.ts'
import { hashToken, newId, newToken } from '../../../platform/crypto/tokens.ts'
import type { InvitationRow, OrganizationRow, UserRow } from '../../../platform/database/tables.ts'
import { type PreparedEmail, prepareEmail } from '../../../platform/mail/outbox.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import { invitationEmail } from './emails.ts'

const INVITATION_LIFETIME_MILLISECONDS = 7 * DAY_MILLISECONDS

export interface PreparedInvitation {
  draft: InvitationRow
  emailFor: (locked: { id: string; organizationName: string }) => PreparedEmail
}

interface NewInvitation {
  organization: Pick<OrganizationRow, 'id' | 'name'>
  inviter: Pick<UserRow, 'id' | 'name' | 'email'>
  /** As `parseEmailAddress` returns it. */
  email: string
  role: string
  /** The id of the pending invitation that is probably renewed. */
  formerId?: string | undefined
}

/** Renders and encrypts the email before the transaction. */
export function prepareInvitation(context: Context, invitation: NewInvitation): PreparedInvitation {
  return draftInvitation(context, invitation).render()
}

export interface DraftInvitation extends PreparedInvitation {
  /** Renders the email now. */
  render: () => PreparedInvitation
}

/** An invitation that is probably refused: its email is rendered in the transaction, if it is sent after all. */
export function draftInvitation(
  context: Context,
  { organization, inviter, email, role, formerId }: NewInvitation,
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
  const expected = { id: formerId ?? draft.id, organizationName: organization.name }
  return { draft, emailFor, render: () => ({ draft, emailFor: prepareEmailFrom(expected, emailFor) }) }
}
