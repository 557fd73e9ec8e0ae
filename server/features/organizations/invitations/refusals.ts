import { mayGrantRole } from '../../../core/access/organization-permissions.ts'
import type { Context } from '../../../core/context.ts'
import { hasExpired } from '../../../core/invitations/expiry.ts'
import type { InvitationRow, OrganizationRole } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { readRecipientWaits, waitForNext } from '../../../platform/mail/email-limits.ts'
import { tooManyEmails } from '../../../platform/mail/outbox.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import { addToFacts, emailsOf, type InvitationFacts, readInvitationFacts } from './invitation-facts.ts'
import type { PreparedInvitation } from './prepare-invitation.ts'

/** Open invitations of one organization. */
const OPEN_MAXIMUM = 10_000

export interface Renewal {
  /** Renews every pending invitation. Otherwise an invitation is renewed only if its inviter may no longer invite. */
  resend: boolean
  /** Refuses all but the renewal of this invitation, with the role that the inviter has read. */
  expectedId?: string | undefined
  /** The role of the inviter. Only owners change the open invitation of an owner. */
  granterRole: OrganizationRole
  /** The field of the request that refusals of the email address name; `email` by default. */
  emailField?: string
}

/** Predicts `saveInvitations`, because one user could occupy the process with emails for refused invitations. */
export async function listLikelyIds(
  context: Context,
  organizationId: string,
  prepared: PreparedInvitation[],
  renewal: Renewal,
): Promise<(string | undefined)[]> {
  if (prepared.length === 0) return []
  const { database } = context
  const waits = await readRecipientWaits(database, context.now(), 'invitation', emailsOf(prepared))
  const facts = await readInvitationFacts(database, context, organizationId, prepared, waits)
  return prepared.map(({ draft }) => {
    if (findRefusal(context, facts, draft, renewal)) return undefined
    return addToFacts(facts, draft, renewal.resend).invitation.id
  })
}

export function findRefusal(
  context: Context,
  { now, memberEmails, pending, openCount, sentTimes, waits }: InvitationFacts,
  { email, role }: InvitationRow,
  { resend, expectedId, granterRole, emailField: field = 'email' }: Renewal,
): ApiError | undefined {
  const former = pending.get(email)
  if (expectedId !== undefined && (former?.id !== expectedId || former.role !== role)) return changedInvitation()
  if (memberEmails.has(email)) return new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', { field })
  const isOpen = former !== undefined && !hasExpired(former, now)
  // An invitation whose inviter may no longer invite can't be accepted, so it must not prevent another one.
  if (isOpen && former.isInviterAllowed && !resend)
    return new ApiError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', { field })
  if (isOpen && !mayGrantRole(granterRole, former.role)) return ownersInvitation(field)
  if (!isOpen && openCount >= OPEN_MAXIMUM) return new ApiError('INVITATION_LIMIT_REACHED')
  const dayWait = waitForNext(sentTimes, context.config.organizationInvitationsPerDay, DAY_MILLISECONDS, now)
  if (dayWait > 0) return tooManyOfDay(dayWait)
  const waitMilliseconds = waits.get(email) ?? 0
  return waitMilliseconds > 0 ? tooManyEmails(waitMilliseconds, field) : undefined
}

function changedInvitation(): ApiError {
  return new ApiError('INVITATION_NOT_FOUND', {
    field: 'expectedInvitationId',
    message:
      'Nothing was sent: this invitation has changed or ended since you read it, or a newer one has replaced it. ' +
      'Look at the list again.',
  })
}

function ownersInvitation(field: string): ApiError {
  return new ApiError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE', {
    field,
    message: 'Only an owner may change the invitation of an owner.',
  })
}

function tooManyOfDay(waitMilliseconds: number): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', {
    message: 'The organization has sent as many invitations as it may in a day. Try again later.',
    retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
  })
}
