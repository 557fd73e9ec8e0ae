import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { InvitationRow } from '../database/tables.ts'
import type { Membership } from '../http/access.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { invitationLetter } from '../mail/letters/invitation.ts'
import { enqueueLetter } from '../mail/outbox.ts'
import { isOrganizationRole, mayGrantRole } from '../organizations/roles.ts'
import { hashToken, newId, newToken } from '../secrets/tokens.ts'
import { parseEmailAddress } from '../users/email-address.ts'
import { formatReference } from './reference.ts'
import {
  findPendingInvitation,
  insertInvitation,
  isMemberWithEmail,
  lockOrganization,
  renewInvitation,
} from './store.ts'

const INVITATION_LIFETIME_MILLISECONDS = 7 * 24 * 3_600_000

interface NewInvitation {
  email: string
  role: string
  /** Renews an open invitation of this address: the same id, a new link, the whole time again. */
  resend: boolean
}

/**
 * Invites an address into an organization, by a letter whose link proves the mailbox.
 * @throws ApiError INVALID_EMAIL; ROLE_NOT_FOUND; YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE;
 *   USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION; USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION
 */
export async function inviteMember(
  context: Context,
  actor: Actor,
  inviter: Caller,
  { organization, member }: Membership,
  input: NewInvitation,
): Promise<InvitationRow> {
  const email = parseEmailAddress(input.email)
  const { role } = input
  if (!isOrganizationRole(role)) throw new ApiError('ROLE_NOT_FOUND', { field: 'role' })
  if (!mayGrantRole(member.role, role))
    throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE', { field: 'role' })

  const now = context.now()
  const secret = newToken(context)
  const grant = {
    role,
    inviterId: inviter.user.id,
    secretHash: hashToken(secret),
    expiresAt: now + INVITATION_LIFETIME_MILLISECONDS,
  }
  const draft: InvitationRow = {
    id: newId('inv', context),
    organizationId: organization.id,
    email,
    status: 'pending',
    createdAt: now,
    ...grant,
  }

  return context.database.transaction().execute(async (transaction) => {
    await lockOrganization(transaction, organization.id)
    if (await isMemberWithEmail(transaction, organization.id, email)) {
      throw new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', { field: 'email' })
    }
    const open = await findPendingInvitation(transaction, organization.id, email, now)
    if (open && !input.resend) throw new ApiError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', { field: 'email' })
    const invitation = (open && (await renewInvitation(transaction, open.id, grant))) ?? draft
    if (!open) await insertInvitation(transaction, invitation)
    const link = `${context.config.baseUrl}/invite/${formatReference(invitation.id, secret)}`
    const letter = invitationLetter({
      inviterName: inviter.user.name,
      organizationName: organization.name,
      role,
      link,
      recipient: email,
    })
    await enqueueLetter(transaction, context, letter)
    await recordEvent(transaction, context, actor, {
      action: 'invitation.created',
      subjectId: invitation.id,
      organizationId: organization.id,
      details: { role, resend: open !== undefined },
    })
    return invitation
  })
}
