import { interactionId, promptOfPage } from '../shared/routing/interaction.ts'

const STORAGE_KEY = 'left sign-in'
const LOOP_MILLISECONDS = 10_000

/**
 * Whether the page signs in a user who is signed in. An app may ask for it. A page that was left automatically just now does it
 * too: the app wanted another sign-in, and the browser would go in circles.
 */
export function asksAgain(): boolean {
  if (interactionId() === null) return false
  const leftAt = Number(sessionStorage.getItem(STORAGE_KEY))
  return promptOfPage() !== null || Date.now() - leftAt < LOOP_MILLISECONDS
}

export function noteAutomaticLeave(): void {
  sessionStorage.setItem(STORAGE_KEY, String(Date.now()))
}
