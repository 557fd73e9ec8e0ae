import type { useLocation } from 'wouter'
import type { Destination } from '../shared/interaction/interaction.ts'
import { resume } from '../shared/interaction/resume.ts'
import { handover } from '../shared/routing/handover.ts'

type Ways = { hasInvitation: boolean; destination: Destination | null }

/**
 * Takes a signed-in user on. If a page required sign-in: to an open invitation, otherwise back to that page. If none
 * did: to the app that waits or the service in `next`, otherwise to an open invitation, otherwise to the account. The
 * sign-in page leaves the history, because going back to it would lead here again.
 */
export function leaveSignIn(navigate: ReturnType<typeof useLocation>[1], { hasInvitation, destination }: Ways): void {
  const { returnTo } = handover()
  if (destination && returnTo === undefined) resume(destination)
  else navigate(hasInvitation ? '/invitation' : (returnTo ?? '/account'), { replace: true })
}
