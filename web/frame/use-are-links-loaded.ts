import { useQuery } from '@tanstack/react-query'
import { organizationsQuery, settingsQuery } from '../shared/api/queries.ts'
import { useReceivedInvitationsQuery } from '../shared/api/use-received-invitations.ts'

/** Whether the list of organizations has its length, so that it does not move what stands below it. A failure counts. */
export function useAreOrganizationsLoaded(): boolean {
  const organizations = useQuery(organizationsQuery)
  // They say whether the user may create one.
  const settings = useQuery(settingsQuery)
  return organizations.isFetched && settings.isFetched
}

/** The same for the invitations, which stand below the organizations. */
export function useAreInvitationsLoaded(): boolean {
  const areOrganizationsLoaded = useAreOrganizationsLoaded()
  const { isLoading } = useReceivedInvitationsQuery()
  return areOrganizationsLoaded && !isLoading
}
