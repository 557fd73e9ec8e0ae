import { interactionId, promptOfPage } from '../shared/routing/interaction-id.ts'

const STORAGE_KEY = 'left sign-in'
const LOOP_MILLISECONDS = 10_000

/**
 * Whether the page asks a signed-in user to sign in again. An app may want this. The page also asks when the app has
 * sent the browser back at once, which would otherwise go in circles.
 */
export function asksAgain(): boolean {
  if (interactionId() === null) return false
  const leftAt = Number(sessionStorage.getItem(STORAGE_KEY))
  return promptOfPage() !== null || Date.now() - leftAt < LOOP_MILLISECONDS
}

export function noteAutomaticLeave(): void {
  sessionStorage.setItem(STORAGE_KEY, String(Date.now()))
}
