import { pathToReturnTo, replaceWith } from '../shared/routing/navigation.ts'
import { nextOrigin } from '../shared/routing/next-origin.ts'

/**
 * Takes a user who is signed in to the page of ours that sent them to sign in, else back to the service that did, else to
 * their account. The sign-in page leaves the history: going back to it would only bring them here again.
 */
export function leaveSignIn(hasInvitation: boolean): void {
  const next = nextOrigin()
  const returnTo = pathToReturnTo()
  if (next !== null && returnTo === undefined) location.replace(next)
  else replaceWith(hasInvitation ? '/invitation' : (returnTo ?? '/account'))
}
