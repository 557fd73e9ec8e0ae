import type { Static } from 'typebox'
import type { InvitationRow } from '../database/tables.ts'
import { toIso } from '../http/time.ts'
import type { Invitation, OpenedInvitation } from './schemas.ts'
import type { InvitationDetails } from './store.ts'

export function toInvitation(row: InvitationRow): Static<typeof Invitation> {
  const { id, email, role, organizationId, inviterId, status } = row
  return {
    id,
    email,
    role,
    organizationId,
    inviterId,
    status,
    expiresAt: toIso(row.expiresAt),
    createdAt: toIso(row.createdAt),
  }
}

export function toOpenedInvitation(details: InvitationDetails, addressKnown: boolean): Static<typeof OpenedInvitation> {
  const { organizationName, organizationSlug, inviterName } = details
  const { id, email, role, expiresAt } = details.invitation
  const invitation = { id, email, role, organizationName, organizationSlug, inviterName, expiresAt: toIso(expiresAt) }
  return { invitation, addressKnown }
}
