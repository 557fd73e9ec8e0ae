import type { Static } from 'typebox'
import { toListedInvitation } from '../../organizations/invitations/wire.ts'
import type { NamedInvitation } from './list-all-invitations.ts'
import type { ListAllInvitationsAnswer } from './schemas.ts'

type Answer = Static<typeof ListAllInvitationsAnswer>['invitations'][number]

export function toNamedInvitation(row: NamedInvitation, now: number): Answer {
  const { organizationName, organizationSlug, inviterName, inviterEmail } = row
  const isExpired = row.status === 'pending' && row.expiresAt <= now
  const invitation = toListedInvitation(row)
  const status = isExpired ? 'expired' : row.status
  return { ...invitation, status, organizationName, organizationSlug, inviterName, inviterEmail }
}
