import { hasExpired } from '../../../core/invitations/expiry.ts'
import type { InvitationEventRow, InvitationRow } from '../../../platform/database/tables.ts'
import { isDiscarded } from '../../../platform/mail/discarded-emails.ts'
import { describeResponse, type EmailDelivery } from '../../../platform/mail/email-deliveries.ts'

/** The first four are events of the email. */
export const TIMELINE_EVENTS = [
  'queued',
  'sent',
  'delayed',
  'failed',
  'opened',
  'signed up',
  'accepted',
  'rejected',
  'canceled',
  'expired',
] as const
export type TimelineEvent = (typeof TIMELINE_EVENTS)[number]

export interface TimelineEntry {
  event: TimelineEvent
  /** Epoch milliseconds. */
  at: number
  /** The mail server's response to the email, or why there is none. */
  answer: string | null
}

/** While an invitation is pending, its newest email is discarded for this reason only. */
const INVITER_NOT_ALLOWED = 'The email was not sent, because the inviter was not allowed to invite at that time.'

/** The emails and the entries are oldest first. */
export function timelineOf(
  invitation: InvitationRow,
  emails: EmailDelivery[],
  events: InvitationEventRow[],
  now: number,
): TimelineEntry[] {
  const awaited = invitation.status === 'pending' ? emails.at(-1) : undefined
  const entries: TimelineEntry[] = [
    ...emails.flatMap((email) => entriesOfEmail(email, email === awaited)),
    ...events.map(({ event, createdAt }) => ({ event, at: createdAt, answer: null })),
  ]
  if (invitation.status === 'pending' && hasExpired(invitation, now)) {
    entries.push({ event: 'expired', at: invitation.expiresAt, answer: null })
  }
  return entries.sort((one, other) => one.at - other.at)
}

/** @param isAwaited whether the invitation is pending, and no newer email has its link */
function entriesOfEmail(
  { createdAt, sentAt, failedAt, lastAttemptAt, lastError }: EmailDelivery,
  isAwaited: boolean,
): TimelineEntry[] {
  const queued: TimelineEntry = { event: 'queued', at: createdAt, answer: null }
  const answer = lastError === null ? null : describeResponse(lastError)
  if (sentAt !== null) return [queued, { event: 'sent', at: sentAt, answer }]
  if (isDiscarded(lastError) && !isAwaited) return [queued]
  if (failedAt !== null)
    return [queued, { event: 'failed', at: failedAt, answer: isDiscarded(lastError) ? INVITER_NOT_ALLOWED : answer }]
  if (lastAttemptAt !== null && answer !== null) return [queued, { event: 'delayed', at: lastAttemptAt, answer }]
  return [queued]
}
