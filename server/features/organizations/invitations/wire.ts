import type { Static } from 'typebox'
import type { InvitationDetails } from '../../../core/invitations/details-store.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toIso } from '../../../platform/http/time.ts'
import type { ListedInvitationRow } from './list-invitations.ts'
import type {
  GetInvitationResponse,
  Invitation,
  InviteMembersResponse,
  ListedInvitation,
  OpenedInvitation,
} from './schemas.ts'

export function toInvitation(row: InvitationRow): Static<typeof Invitation> {
  const { id, email, role, organizationId, inviterId, status } = row
  const times = { expiresAt: toIso(row.expiresAt), createdAt: toIso(row.createdAt) }
  return { id, email, role, organizationId, inviterId, status, ...times }
}

export function toInviteResult(
  email: string,
  outcome: InvitationRow | ApiError,
): Static<typeof InviteMembersResponse>['results'][number] {
  if (outcome instanceof ApiError) return { email, status: 'refused', code: outcome.code, message: outcome.message }
  return { email, status: 'invited', invitationId: outcome.id }
}

export function toListedInvitation(row: ListedInvitationRow): Static<typeof ListedInvitation> {
  const { invitation, inviterMayInvite } = row
  return {
    ...toInvitation(invitation),
    inviterMayInvite,
    timeline: row.timeline.map((entry) => ({ ...entry, at: toIso(entry.at) })),
  }
}

export function toInvitationOfRecipient(details: InvitationDetails): Static<typeof GetInvitationResponse> {
  return { ...toInvitation(details.invitation), ...sendersOf(details) }
}

export function toOpenedInvitation(details: InvitationDetails, addressKnown: boolean): Static<typeof OpenedInvitation> {
  const { id, email, role, expiresAt } = details.invitation
  return { invitation: { id, email, role, ...sendersOf(details), expiresAt: toIso(expiresAt) }, addressKnown }
}

function sendersOf(details: InvitationDetails) {
  const { organizationName, organizationSlug, organizationLogo, inviterName, inviterEmail } = details
  return { organizationName, organizationSlug, organizationLogo, inviterName, inviterEmail }
}
