import { useLocation } from 'wouter'
import { OVERVIEW_KEY, organizationsQuery, queryClient } from '../shared/api/queries.ts'
import { twoStepQuery } from '../shared/api/two-step.ts'
import { showNotice } from '../shared/routing/page-state.ts'
import { useIsOnPage } from '../shared/routing/use-is-on-page.ts'

/** @returns a function for when the caller has left or deleted the organization: its pages must not ask for it again */
export function useLeavePages(slug: string): (notice: string) => Promise<void> {
  const [, navigate] = useLocation()
  const isInOrganization = useIsOnPage(`/organizations/${slug}`)

  return async (notice) => {
    if (isInOrganization()) navigate('/account')
    showNotice(notice)
    queryClient.removeQueries({ queryKey: [OVERVIEW_KEY] })
    // The organization may have required two-step verification.
    void queryClient.invalidateQueries(twoStepQuery)
    await queryClient.invalidateQueries(organizationsQuery)
  }
}
