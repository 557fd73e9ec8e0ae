import type { Static } from 'typebox'
import type { ListedInvitation } from '../../server/features/organizations/invitations/schemas.ts'
import { findValue } from '../shared/format/find-value.ts'
import { INVITATION_EVENT_NAMES } from '../shared/format/invitation-names.ts'
import { isInviterMissing } from '../shared/format/is-inviter-missing.ts'

type Invitation = Static<typeof ListedInvitation>
type TimelineEvent = Invitation['timeline'][number]['event']

const STATES: Record<TimelineEvent, string> = {
  ...INVITATION_EVENT_NAMES,
  queued: 'Waiting to be sent',
  sent: 'Sent, not opened yet',
  delayed: 'Delayed',
  failed: 'Not delivered',
  opened: 'Opened',
  'signed up': 'Signed up, not joined yet',
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
  // The timeline has the first opening only. It may come before `sent`, which is stored after the email has arrived.
  const opening = invitation.timeline.findLast(({ event }) => event === 'opened' || event === 'signed up')
  if (event === 'sent' && opening) return wasSentAgain(invitation) ? 'Sent again' : STATES[opening.event]
  return findValue(STATES, event) ?? (event === 'pending' ? 'Open' : event)
}

function wasSentAgain({ timeline }: Invitation): boolean {
  return timeline.filter(({ event }) => event === 'sent').length > 1
}

/** Whether the invitation can be sent again or canceled. An expired one is still pending: sending it again renews it. */
export function isPending({ status }: Invitation): boolean {
  return status === 'pending'
}
