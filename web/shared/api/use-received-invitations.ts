import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ReceivedInvitations } from '../../../server/features/organizations/invitations/schemas.ts'
import { useCaller } from './caller.ts'
import { receivedInvitationsQuery } from './queries.ts'

type Invitations = Static<typeof ReceivedInvitations>

export function useReceivedInvitations(): Invitations {
  const { data = [] } = useReceivedInvitationsQuery()
  return data
}

/** The service lists invitations only for a verified email address. */
export function useReceivedInvitationsQuery(): UseQueryResult<Invitations> {
  const { user } = useCaller()
  return useQuery({ ...receivedInvitationsQuery, enabled: user.emailVerified })
}
