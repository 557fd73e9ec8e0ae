import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { isOrganizationRole, mayGrantRole } from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { formatReference } from '../../../core/invitations/reference.ts'
import {
  countOpenInvitations,
  findPendingInvitation,
  insertInvitation,
  renewInvitation,
} from '../../../core/invitations/store.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { findMemberByEmail } from '../../../core/memberships/store.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { hashToken, newId, newToken } from '../../../platform/crypto/tokens.ts'
import type { InvitationRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { waitForInvitation } from '../../../platform/mail/email-limits.ts'
import { prepareEmail, sendEmailWithinLimit } from '../../../platform/mail/outbox.ts'
import { invitationEmail } from './emails.ts'

const INVITATION_LIFETIME_MILLISECONDS = 7 * 24 * 3_600_000

/** Per organization. */
const OPEN_MAXIMUM = 10_000

interface NewInvitation {
  email: string
  role: string
  /** Renews a pending invitation of this address: it keeps its id and gets a new link and a new expiry. */
  resend: boolean
}

/**
 * Invites an email address into an organization. The emailed link verifies the address.
 * @throws ApiError INVALID_EMAIL; ROLE_NOT_FOUND; YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE;
 *   USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION; USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION; INVITATION_LIMIT_REACHED;
 *   TOO_MANY_REQUESTS
 */
export async function inviteMember(
  context: Context,
  actor: Actor,
  inviter: Caller,
  membership: AuthorizedMembership,
  { email: address, role, resend }: NewInvitation,
): Promise<InvitationRow> {
  const email = parseEmailAddress(address)
  if (!isOrganizationRole(role)) throw new ApiError('ROLE_NOT_FOUND', { field: 'role' })
  const { id: organizationId } = membership.organization
  const secret = newToken(context)
  const now = context.now()
  const draft: InvitationRow = {
    id: newId('inv', context),
    organizationId,
    email,
    role,
    inviterId: inviter.user.id,
    status: 'pending',
    secretHash: hashToken(secret),
    createdAt: now,
    expiresAt: now + INVITATION_LIFETIME_MILLISECONDS,
  }
  const former = resend ? await findPendingInvitation(context.database, organizationId, email) : undefined
  const expected = { id: former?.id ?? draft.id, organizationName: membership.organization.name }
  const emailFor = prepareEmailFrom(expected, ({ id, organizationName }) => {
    const link = `${context.config.baseUrl}/invite/${formatReference(id, secret)}`
    const names = { inviterName: inviter.user.name, inviterEmail: inviter.user.email, organizationName }
    const message = invitationEmail({ recipient: email, role, link, ...names })
    return prepareEmail(context, { ...message, subjectId: id, organizationId })
  })

  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    if (!mayGrantRole(member.role, role)) {
      throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE', { field: 'role' })
    }
    if (await findMemberByEmail(transaction, organizationId, email)) {
      throw new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', { field: 'email' })
    }
    const pending = await findPendingInvitation(transaction, organizationId, email)
    const isOpen = pending !== undefined && pending.expiresAt > now
    if (isOpen && !resend) {
      throw new ApiError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', { field: 'email' })
    }
    if (!isOpen && (await countOpenInvitations(transaction, organizationId, now)) >= OPEN_MAXIMUM)
      throw new ApiError('INVITATION_LIMIT_REACHED')
    await assertWithinDailyLimit(transaction, context, organizationId)
    const renewed = resend ? pending : undefined
    const invitation = renewed ? { ...draft, id: renewed.id, createdAt: renewed.createdAt } : draft
    if (renewed) await renewInvitation(transaction, invitation)
    else await insertInvitation(transaction, invitation)
    await sendEmailWithinLimit(unit, emailFor({ id: invitation.id, organizationName: organization.name }))
    const details = { role, resend: renewed !== undefined }
    await record({ action: 'invitation.created', subjectId: invitation.id, organizationId, details })
    return invitation
  })
}

async function assertWithinDailyLimit(
  transaction: Kysely<Tables>,
  { config, now }: Context,
  organizationId: string,
): Promise<void> {
  const limit = config.organizationInvitationsPerDay
  const waitMilliseconds = await waitForInvitation(transaction, now(), organizationId, limit)
  if (waitMilliseconds === 0) return
  throw new ApiError('TOO_MANY_REQUESTS', {
    message: 'The organization has sent as many invitations as it may in a day. Try again later.',
    retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
  })
}
