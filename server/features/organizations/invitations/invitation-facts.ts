import type { Kysely } from 'kysely'
import type { Context } from '../../../core/context.ts'
import { isInviterAllowed } from '../../../core/invitations/allowed-inviter.ts'
import { listPendingInvitations } from '../../../core/invitations/details-store.ts'
import { hasExpired } from '../../../core/invitations/expiry.ts'
import { countOpenInvitations } from '../../../core/invitations/store.ts'
import { countOwners } from '../../../core/memberships/owner-store.ts'
import { listMemberEmails } from '../../../core/memberships/store.ts'
import type { InvitationRow, Tables } from '../../../platform/database/tables.ts'
import { listInvitationTimes } from '../../../platform/mail/email-limits.ts'
import type { PreparedInvitation } from './prepare-invitation.ts'

type PendingInvitation = Pick<InvitationRow, 'id' | 'role' | 'createdAt' | 'expiresAt'> & { isInviterAllowed: boolean }

/** The facts that decide about the next invitation. Updated with each invitation that is not refused. */
export interface InvitationFacts {
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

export function emailsOf(prepared: PreparedInvitation[]): string[] {
  return [...new Set(prepared.map(({ draft }) => draft.email))]
}

export async function readInvitationFacts(
  database: Kysely<Tables>,
  context: Context,
  organizationId: string,
  prepared: PreparedInvitation[],
  waits: InvitationFacts['waits'],
): Promise<InvitationFacts> {
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

/** A renewed invitation keeps the id and the time of creation of the former one. */
export function addToFacts(
  facts: InvitationFacts,
  draft: InvitationRow,
  resend: boolean,
): { invitation: InvitationRow; isRenewed: boolean } {
  const { pending, now } = facts
  const former = pending.get(draft.email)
  const isOpen = former !== undefined && !hasExpired(former, now)
  if (!isOpen) facts.openCount += 1
  facts.sentTimes.unshift(now)
  const isUnusable = isOpen && !former.isInviterAllowed
  const renewed = resend || isUnusable ? former : undefined
  const invitation = renewed ? { ...draft, id: renewed.id, createdAt: renewed.createdAt } : draft
  pending.set(draft.email, { ...invitation, isInviterAllowed: true })
  return { invitation, isRenewed: renewed !== undefined }
}
