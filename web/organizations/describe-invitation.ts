import type { Static } from 'typebox'
import type { ListInvitationsQuery } from '../../server/features/organizations/invitations/schemas.ts'
import { findValue } from '../shared/format/find-value.ts'
import type { Invitation } from './queries.ts'

type TimelineEvent = Invitation['timeline'][number]['event']
type StatusFilter = NonNullable<Static<typeof ListInvitationsQuery>['status']>

const STATES: Record<TimelineEvent, string> = {
  queued: 'Waiting to be sent',
  sent: 'Sent, not opened yet',
  delayed: 'Delayed',
  failed: 'Not delivered',
  opened: 'Opened',
  'signed up': 'Signed up, not joined yet',
  accepted: 'Joined',
  rejected: 'Declined',
  canceled: 'Canceled',
  expired: 'Expired',
}

const EVENTS: Record<TimelineEvent, string> = {
  ...STATES,
  sent: 'Sent: the mail server took it',
  'signed up': 'Signed up',
}

/** The states by which the service filters. */
export const STATUS_FILTERS: Record<StatusFilter, string> = {
  pending: 'Open',
  failed: 'Not delivered',
  accepted: 'Joined',
  rejected: 'Declined',
  canceled: 'Canceled',
  expired: 'Expired',
}

/**
 * The last event of an invitation. A closed invitation has its status, because its email may still arrive later. Emails
 * are purged after 90 days: then the status remains.
 */
export function lastEvent({
  timeline,
  status,
}: Pick<Invitation, 'timeline' | 'status'>): TimelineEvent | Invitation['status'] {
  return status === 'pending' ? (timeline.at(-1)?.event ?? status) : status
}

export function invitationState(invitation: Invitation): string {
  if (isInviterMissing(invitation)) return 'Can’t be accepted'
  const event = lastEvent(invitation)
  return findValue(STATES, event) ?? (event === 'pending' ? 'Open' : event)
}

export function eventLabel(event: string): string {
  return findValue(EVENTS, event) ?? event
}

/** Whether an open invitation can't be accepted, because its inviter may no longer invite. Sending it again helps. */
export function isInviterMissing({ status, expiresAt, inviterMayInvite }: Invitation): boolean {
  return status === 'pending' && new Date(expiresAt).getTime() > Date.now() && !inviterMayInvite
}

/** Whether the recipient can still join. An expired invitation is still pending, because sending it again renews it. */
export function canStillJoin({ status }: Invitation): boolean {
  return status === 'pending'
}
