import type { useLocation } from 'wouter'
import { queryClient, sessionQuery } from '../shared/api/queries.ts'
import type { Destination } from '../shared/interaction/interaction.ts'
import { resume } from '../shared/interaction/resume.ts'
import { pageState } from '../shared/routing/page-state.ts'

export type Ways = { hasInvitation: boolean; destination: Destination | null }

/**
 * Takes a signed-in user on. If a page required sign-in: to an open invitation, otherwise back to that page. If none
 * did: to the app that waits or the service in `next`, otherwise to an open invitation, otherwise to the account. The
 * sign-in page leaves the history, because going back to it would lead here again.
 */
export async function leaveSignIn(
  navigate: ReturnType<typeof useLocation>[1],
  { hasInvitation, destination }: Ways,
): Promise<void> {
  const returnTo = await findReturnTo()
  if (destination && returnTo === undefined) resume(destination)
  else navigate(hasInvitation ? '/invitation' : (returnTo ?? '/account'), { replace: true })
}

/** The page to return to. Another user may not see it, and its address may name what only the former user knows. */
async function findReturnTo(): Promise<string | undefined> {
  const { returnTo, returningUserId } = pageState()
  if (returnTo === undefined || returningUserId === undefined) return returnTo
  const caller = await queryClient.fetchQuery(sessionQuery).catch(() => null)
  return caller?.user.id === returningUserId ? returnTo : undefined
}
