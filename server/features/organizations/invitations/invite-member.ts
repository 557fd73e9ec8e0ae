import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import {
  isOrganizationRole,
  mayGrantRole,
  type OrganizationRole,
} from '../../../core/access/organization-permissions.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { formatReference } from '../../../core/invitations/reference.ts'
import {
  countOpenInvitations,
  findUnansweredInvitation,
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

/** Of one organization. */
const OPEN_MAXIMUM = 10_000

interface NewInvitation {
  email: string
  role: string
  /** Renews an unanswered invitation of this address: the same id, a new link, the whole time again. */
  resend: boolean
}

/**
 * Invites an address into an organization, by a letter whose link proves the mailbox.
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
  const secret = newToken(context)
  const draft = draftInvitation(context, membership.organization.id, inviter.user.id, { email, role, secret })

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    if (!mayGrantRole(member.role, role)) {
      throw new ApiError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE', { field: 'role' })
    }
    if (await findMemberByEmail(transaction, organization.id, email)) {
      throw new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', { field: 'email' })
    }
    const unanswered = await findUnansweredInvitation(transaction, organization.id, email)
    const isOpen = unanswered !== undefined && unanswered.expiresAt > context.now()
    if (isOpen && !resend) {
      throw new ApiError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', { field: 'email' })
    }
    if (!isOpen && (await countOpenInvitations(transaction, organization.id, context.now())) >= OPEN_MAXIMUM)
      throw new ApiError('INVITATION_LIMIT_REACHED')
    await assertWithinDailyLimit(transaction, context, organization.id)
    const invitation = await writeInvitation(transaction, draft, resend ? unanswered : undefined)
    const link = `${context.config.baseUrl}/invite/${formatReference(invitation.id, secret)}`
    const names = { inviterName: inviter.user.name, organizationName: organization.name }
    const message = invitationEmail({ recipient: email, role, link, ...names })
    const about = { subjectId: invitation.id, organizationId: organization.id }
    await sendEmailWithinLimit(unit, prepareEmail(context, { ...message, ...about }))
    await unit.record({
      action: 'invitation.created',
      subjectId: invitation.id,
      organizationId: organization.id,
      details: { role, resend: invitation.id !== draft.id },
    })
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

function draftInvitation(
  context: Context,
  organizationId: string,
  inviterId: string,
  { email, role, secret }: { email: string; role: OrganizationRole; secret: string },
): InvitationRow {
  const createdAt = context.now()
  return {
    id: newId('inv', context),
    organizationId,
    email,
    role,
    inviterId,
    status: 'pending',
    secretHash: hashToken(secret),
    createdAt,
    expiresAt: createdAt + INVITATION_LIFETIME_MILLISECONDS,
  }
}

/** @param former the invitation that is renewed, if one is: it keeps its id and age, and its old link is worthless */
async function writeInvitation(
  transaction: Kysely<Tables>,
  draft: InvitationRow,
  former: InvitationRow | undefined,
): Promise<InvitationRow> {
  if (!former) {
    await insertInvitation(transaction, draft)
    return draft
  }
  const { role, inviterId, secretHash, expiresAt } = draft
  await renewInvitation(transaction, former.id, { role, inviterId, secretHash, expiresAt })
  return { ...former, role, inviterId, secretHash, expiresAt }
}
