import type { Static } from 'typebox'
import { hasExpired } from '../../../core/invitations/expiry.ts'
import type { ListedInvitationRow } from '../../organizations/invitations/list-invitations.ts'
import { toListedInvitation } from '../../organizations/invitations/wire.ts'
import type { ListAllInvitationsAnswer } from './schemas.ts'

type Answer = Static<typeof ListAllInvitationsAnswer>['invitations'][number]

export function toInvitationOfStaff(row: ListedInvitationRow, now: number): Answer {
  const { invitation, organizationName, organizationSlug, inviterName, inviterEmail } = row
  const isExpired = invitation.status === 'pending' && hasExpired(invitation, now)
  const status = isExpired ? 'expired' : invitation.status
  return { ...toListedInvitation(row), status, organizationName, organizationSlug, inviterName, inviterEmail }
}
