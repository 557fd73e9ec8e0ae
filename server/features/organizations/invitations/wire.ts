import type { Static } from 'typebox'
import type { InvitationDetails } from '../../../core/invitations/store.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { InvitationRowWithTimeline } from './list-invitations.ts'
import type { GetInvitationAnswer, Invitation, InvitationWithTimeline, OpenedInvitation } from './schemas.ts'

export function toInvitation(row: InvitationRow): Static<typeof Invitation> {
  const { id, email, role, organizationId, inviterId, status } = row
  const times = { expiresAt: toIso(row.expiresAt), createdAt: toIso(row.createdAt) }
  return { id, email, role, organizationId, inviterId, status, ...times }
}

export function toInvitationWithTimeline(row: InvitationRowWithTimeline): Static<typeof InvitationWithTimeline> {
  return { ...toInvitation(row), timeline: row.timeline.map((entry) => ({ ...entry, at: toIso(entry.at) })) }
}

export function toInvitationOfRecipient(details: InvitationDetails): Static<typeof GetInvitationAnswer> {
  const { invitation, organizationName, organizationSlug, inviterEmail } = details
  return { ...toInvitation(invitation), organizationName, organizationSlug, inviterEmail }
}

export function toOpenedInvitation(details: InvitationDetails, addressKnown: boolean): Static<typeof OpenedInvitation> {
  const { organizationName, organizationSlug, inviterName } = details
  const { id, email, role, expiresAt } = details.invitation
  const invitation = { id, email, role, organizationName, organizationSlug, inviterName, expiresAt: toIso(expiresAt) }
  return { invitation, addressKnown }
}
