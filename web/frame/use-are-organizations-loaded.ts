import { useQuery } from '@tanstack/react-query'
import { organizationsQuery, settingsQuery } from '../shared/api/queries.ts'

/** Whether the list of organizations has its length, so that it does not move what stands below it. A failure counts. */
export function useAreOrganizationsLoaded(): boolean {
  const organizations = useQuery(organizationsQuery)
  // They say whether the user may create one.
  const settings = useQuery(settingsQuery)
  return organizations.isFetched && settings.isFetched
}
