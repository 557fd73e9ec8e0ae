import type { Static } from 'typebox'
import { hasExpired } from '../../../core/invitations/expiry.ts'
import type { ListedInvitationRow } from '../../organizations/invitations/list-invitations.ts'
import { toListedInvitation } from '../../organizations/invitations/wire.ts'
import type { ListAllInvitationsResponse } from './schemas.ts'

type ResponseBody = Static<typeof ListAllInvitationsResponse>['invitations'][number]

export function toInvitationOfStaff(row: ListedInvitationRow, now: number): ResponseBody {
  const { invitation, organizationName, organizationSlug, inviterName, inviterEmail } = row
  const isExpired = invitation.status === 'pending' && hasExpired(invitation, now)
  const status = isExpired ? 'expired' : invitation.status
  return { ...toListedInvitation(row), status, organizationName, organizationSlug, inviterName, inviterEmail }
}
