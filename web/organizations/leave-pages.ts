import { organizationsQuery, queryClient } from '../shared/api/queries.ts'
import type { PageState } from '../shared/routing/page-state.ts'
import { isInOrganization } from './is-in-organization.ts'

type Navigate = (path: string, options: { state: PageState }) => void

/** After the caller has left or deleted an organization: its pages must not ask for it again. */
export async function leavePages(slug: string, navigate: Navigate, notice: string): Promise<void> {
  if (isInOrganization(slug)) navigate('/account', { state: { notice } })
  queryClient.removeQueries({ queryKey: ['organization'] })
  await queryClient.invalidateQueries(organizationsQuery)
}
