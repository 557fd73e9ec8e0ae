import { useQuery } from '@tanstack/react-query'
import { useCaller } from './caller.ts'
import { receivedInvitationsQuery } from './queries.ts'

/** The service lists invitations only for a verified email address. */
export function useReceivedInvitations() {
  const { user } = useCaller()
  const { data = [] } = useQuery({ ...receivedInvitationsQuery, enabled: user.emailVerified })
  return data
}
