import { organizationsQuery, queryClient } from '../shared/api/queries.ts'
import type { PageState } from '../shared/routing/page-state.ts'

type Navigate = (path: string, options: { state: PageState }) => void

/** After the caller has left or deleted an organization: its pages must not ask for it again. */
export async function leavePages(navigate: Navigate, notice: string): Promise<void> {
  navigate('/account', { state: { notice } })
  queryClient.removeQueries({ queryKey: ['organization'] })
  await queryClient.invalidateQueries(organizationsQuery)
}
