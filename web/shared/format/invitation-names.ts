import type { Static } from 'typebox'
import type { ListInvitationsQuery } from '../../../server/features/organizations/invitations/schemas.ts'
import type { TimelineEvent } from '../../../server/features/organizations/invitations/timeline.ts'

type FilterStatus = NonNullable<Static<typeof ListInvitationsQuery>['status']>

const CLOSED = { accepted: 'Joined', rejected: 'Declined', canceled: 'Canceled', expired: 'Expired' }

/** The states by which the service filters invitations. */
export const INVITATION_STATUS_NAMES: Record<FilterStatus, string> = {
  pending: 'Open',
  failed: 'Not delivered',
  ...CLOSED,
}

/** The events of an invitation and of its emails. The response of the mail server says why an email failed. */
export const INVITATION_EVENT_NAMES: Record<TimelineEvent, string> = {
  queued: 'Email written',
  sent: 'Email accepted by the mail server',
  delayed: 'Email delayed, it is tried again',
  failed: 'Email not delivered',
  opened: 'Link opened',
  'signed up': 'Signed up',
  ...CLOSED,
}
