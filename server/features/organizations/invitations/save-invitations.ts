import type { UnitOfWork } from '../../../core/in-transaction.ts'
import {
  countOpenInvitations,
  insertInvitations,
  listPendingInvitations,
  renewInvitation,
} from '../../../core/invitations/store.ts'
import { listMemberEmails } from '../../../core/memberships/store.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import {
  DAY_MILLISECONDS,
  listInvitationTimes,
  lockRecipientLimits,
  waitForNext,
} from '../../../platform/mail/email-limits.ts'
import { sendEmails, tooManyEmails } from '../../../platform/mail/outbox.ts'
import type { PreparedInvitation } from './prepare-invitation.ts'

/** Per organization. */
const OPEN_MAXIMUM = 10_000

/** What decides about the next invitation. Updated with each accepted one. */
interface Standing {
  now: number
  memberEmails: Set<string>
  /** The newest pending invitation of each email address. */
  pending: Map<string, InvitationRow>
  openCount: number
  /** The invitations of the last day, newest first. */
  sentTimes: number[]
  /** Milliseconds until the recipient may get another invitation. */
  waits: Map<string, number>
}

interface Accepted {
  invitation: InvitationRow
  isRenewed: boolean
  prepared: PreparedInvitation
}

/**
 * Inserts invitations with their emails and audit events, in a transaction that has locked the organization and authorized
 * the inviter. Takes a dozen statements for any number of invitations.
 * @param resend renews a pending invitation of this address: it keeps its id and gets a new link and a new expiry
 * @returns for each the invitation, or the refusal: USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION;
 *   USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION; INVITATION_LIMIT_REACHED; TOO_MANY_REQUESTS
 */
export async function saveInvitations(
  unit: UnitOfWork,
  { id: organizationId, name: organizationName }: { id: string; name: string },
  prepared: PreparedInvitation[],
  resend: boolean,
): Promise<(InvitationRow | ApiError)[]> {
  if (prepared.length === 0) return []
  const standing = await readStanding(unit, organizationId, prepared)
  const accepted: Accepted[] = []
  const outcomes = prepared.map((one) => {
    const refusal = findRefusal(unit, standing, one.draft, resend)
    if (refusal) return refusal
    const { invitation, isRenewed } = accept(standing, one.draft, resend)
    accepted.push({ invitation, isRenewed, prepared: one })
    return invitation
  })
  await save(unit, organizationName, accepted)
  return outcomes
}

async function readStanding(
  { transaction, context }: UnitOfWork,
  organizationId: string,
  prepared: PreparedInvitation[],
): Promise<Standing> {
  const now = context.now()
  const emails = [...new Set(prepared.map(({ draft }) => draft.email))]
  const pending = await listPendingInvitations(transaction, organizationId, emails)
  const { organizationInvitationsPerDay: dailyLimit } = context.config
  return {
    now,
    memberEmails: new Set(await listMemberEmails(transaction, organizationId, emails)),
    pending: new Map(pending.map((invitation) => [invitation.email, invitation])),
    openCount: await countOpenInvitations(transaction, organizationId, now),
    sentTimes: await listInvitationTimes(transaction, now, organizationId, dailyLimit),
    waits: await lockRecipientLimits(transaction, now, 'invitation', emails),
  }
}

function findRefusal(
  { context }: UnitOfWork,
  { now, memberEmails, pending, openCount, sentTimes, waits }: Standing,
  { email }: InvitationRow,
  resend: boolean,
): ApiError | undefined {
  if (memberEmails.has(email)) return new ApiError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION', { field: 'email' })
  const isOpen = (pending.get(email)?.expiresAt ?? 0) > now
  if (isOpen && !resend) return new ApiError('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', { field: 'email' })
  if (!isOpen && openCount >= OPEN_MAXIMUM) return new ApiError('INVITATION_LIMIT_REACHED')
  const dayWait = waitForNext(sentTimes, context.config.organizationInvitationsPerDay, DAY_MILLISECONDS, now)
  if (dayWait > 0) return tooManyOfDay(dayWait)
  const wait = waits.get(email) ?? 0
  return wait > 0 ? tooManyEmails(wait) : undefined
}

function tooManyOfDay(waitMilliseconds: number): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', {
    message: 'The organization has sent as many invitations as it may in a day. Try again later.',
    retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
  })
}

function accept(standing: Standing, draft: InvitationRow, resend: boolean): Omit<Accepted, 'prepared'> {
  const { pending, now } = standing
  const former = pending.get(draft.email)
  if ((former?.expiresAt ?? 0) <= now) standing.openCount += 1
  standing.sentTimes.unshift(now)
  const renewed = resend ? former : undefined
  const invitation = renewed ? { ...draft, id: renewed.id, createdAt: renewed.createdAt } : draft
  pending.set(draft.email, invitation)
  return { invitation, isRenewed: renewed !== undefined }
}

async function save(unit: UnitOfWork, organizationName: string, accepted: Accepted[]): Promise<void> {
  const { transaction } = unit
  for (const { invitation } of accepted.filter(({ isRenewed }) => isRenewed))
    await renewInvitation(transaction, invitation)
  const added = accepted.filter(({ isRenewed }) => !isRenewed)
  await insertInvitations(
    transaction,
    added.map(({ invitation }) => invitation),
  )
  await sendEmails(
    unit,
    accepted.map(({ invitation, prepared }) => prepared.emailFor({ id: invitation.id, organizationName })),
  )
  await unit.recordAll(
    accepted.map(({ invitation: { id, organizationId, role }, isRenewed }) => ({
      action: 'invitation.created',
      subjectId: id,
      organizationId,
      details: { role, resend: isRenewed },
    })),
  )
}
