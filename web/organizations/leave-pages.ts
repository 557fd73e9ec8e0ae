import { organizationsQuery, queryClient } from '../shared/api/queries.ts'

/** After the caller has left or deleted an organization: its pages must not ask for it again. */
export async function leavePages(navigate: (path: string) => void): Promise<void> {
  navigate('/account')
  queryClient.removeQueries({ queryKey: ['organization'] })
  await queryClient.invalidateQueries(organizationsQuery)
}
