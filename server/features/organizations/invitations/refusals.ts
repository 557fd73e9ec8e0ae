import type { Kysely } from 'kysely'
import { mayGrantRole } from '../../../core/access/organization-permissions.ts'
import type { Context } from '../../../core/context.ts'
import { listPendingInvitations } from '../../../core/invitations/details-store.ts'
import { isInviterAllowed } from '../../../core/invitations/get-usable-invitation.ts'
import { countOpenInvitations } from '../../../core/invitations/store.ts'
import { countOwners } from '../../../core/memberships/owner-store.ts'
import { listMemberEmails } from '../../../core/memberships/store.ts'
import type { InvitationRow, OrganizationRole, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { listInvitationTimes, readRecipientWaits, waitForNext } from '../../../platform/mail/email-limits.ts'
import { tooManyEmails } from '../../../platform/mail/outbox.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { PreparedInvitation } from './prepare-invitation.ts'

/** The maximum of open invitations of one organization. */
const OPEN_MAXIMUM = 10_000

type PendingInvitation = Pick<InvitationRow, 'id' | 'role' | 'createdAt' | 'expiresAt'> & { isInviterAllowed: boolean }

/** The changes of pending invitations that `saveInvitations` makes. */
export interface Renewal {
  /** Renews pending invitations. Otherwise only those are renewed whose inviter may not invite any more. */
  resend: boolean
  /** The role of the inviter. Only owners change the open invitation of an owner. */
  granterRole: OrganizationRole
}

/** The facts that decide about the next invitation. Updated with each invitation that is not refused. */
interface Facts {
  now: number
  /** Empty if the organization needs an owner: staff may invite a member as owner. */
  memberEmails: Set<string>
  /** The newest pending invitation of each email address. */
  pending: Map<string, PendingInvitation>
  openCount: number
  /** The times of the invitations of the last day, newest first. */
  sentTimes: number[]
  /** Milliseconds until the recipient may get another invitation. */
  waits: Map<string, number>
}

/**
 * Predicts the result of `saveInvitations`, without locks. So no emails are rendered for invitations that will be
 * refused: otherwise one user could occupy the process.
 * @returns for each invitation its id, or undefined when it would be refused
 */
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

export function emailsOf(prepared: PreparedInvitation[]): string[] {
  return [...new Set(prepared.map(({ draft }) => draft.email))]
}

export async function readInvitationFacts(
  database: Kysely<Tables>,
  context: Context,
  organizationId: string,
  prepared: PreparedInvitation[],
  waits: Facts['waits'],
): Promise<Facts> {
  const now = context.now()
  const emails = emailsOf(prepared)
  const invitesOwner = prepared.some(({ draft }) => draft.role === 'owner')
  const isOwnerNeeded = invitesOwner && (await countOwners(database, organizationId, now)) === 0
  const pending = await listPendingInvitations(database, now, organizationId, emails)
  const { organizationInvitationsPerDay: dailyLimit } = context.config
  return {
    now,
    memberEmails: new Set(isOwnerNeeded ? [] : await listMemberEmails(database, organizationId, emails)),
    pending: new Map(
      pending.map((details) => [
        details.invitation.email,
        { ...details.invitation, isInviterAllowed: isInviterAllowed(details, now) },
      ]),
    ),
    openCount: await countOpenInvitations(database, organizationId, now),
    sentTimes: await listInvitationTimes(database, now, organizationId, dailyLimit),
    waits,
  }
}

export function findRefusal(
  context: Context,
  { now, memberEmails, pending, openCount, sentTimes, waits }: Facts,
  { email }: InvitationRow,
  { resend, granterRole }: Renewal,
): ApiError | undefined {
  if (memberEmails.has(email)) return new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', { field: 'email' })
  const former = pending.get(email)
  const isOpen = former !== undefined && former.expiresAt > now
  // An invitation whose inviter may no longer invite can't be accepted, so it must not prevent another one.
  if (isOpen && former.isInviterAllowed && !resend)
    return new ApiError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', { field: 'email' })
  if (isOpen && !mayGrantRole(granterRole, former.role)) return ownersInvitation()
  if (!isOpen && openCount >= OPEN_MAXIMUM) return new ApiError('INVITATION_LIMIT_REACHED')
  const dayWait = waitForNext(sentTimes, context.config.organizationInvitationsPerDay, DAY_MILLISECONDS, now)
  if (dayWait > 0) return tooManyOfDay(dayWait)
  const waitMilliseconds = waits.get(email) ?? 0
  return waitMilliseconds > 0 ? tooManyEmails(waitMilliseconds) : undefined
}

function ownersInvitation(): ApiError {
  return new ApiError('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE', {
    field: 'email',
    message: 'Only an owner may change the invitation of an owner.',
  })
}

function tooManyOfDay(waitMilliseconds: number): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', {
    message: 'The organization has sent as many invitations as it may in a day. Try again later.',
    retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
  })
}

/**
 * Updates the facts for the next invitation.
 * @returns the draft; if it renews a pending invitation, with the id and the time of creation of that invitation
 */
export function addToFacts(
  facts: Facts,
  draft: InvitationRow,
  resend: boolean,
): { invitation: InvitationRow; isRenewed: boolean } {
  const { pending, now } = facts
  const former = pending.get(draft.email)
  const isOpen = former !== undefined && former.expiresAt > now
  if (!isOpen) facts.openCount += 1
  facts.sentTimes.unshift(now)
  const isUnusable = isOpen && !former.isInviterAllowed
  const renewed = resend || isUnusable ? former : undefined
  const invitation = renewed ? { ...draft, id: renewed.id, createdAt: renewed.createdAt } : draft
  pending.set(draft.email, { ...invitation, isInviterAllowed: true })
  return { invitation, isRenewed: renewed !== undefined }
}
