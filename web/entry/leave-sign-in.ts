import type { useLocation } from 'wouter'
import { handover } from '../shared/routing/handover.ts'
import { nextOrigin } from '../shared/routing/next-origin.ts'

/**
 * Takes a signed-in user to the page that required sign-in, else to the service in `next`, else to the account. The sign-in
 * page leaves the history, because going back to it would lead here again.
 */
export function leaveSignIn(navigate: ReturnType<typeof useLocation>[1], hasInvitation: boolean): void {
  const next = nextOrigin()
  const { returnTo } = handover()
  if (next !== null && returnTo === undefined) location.replace(next)
  else navigate(hasInvitation ? '/invitation' : (returnTo ?? '/account'), { replace: true })
}
