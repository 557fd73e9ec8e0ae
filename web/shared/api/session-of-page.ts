import type { Static } from 'typebox'
import type { GetSessionResponse } from '../../../server/features/account/sessions/schemas.ts'
import { createStore } from '../store.ts'
import { fetchInTurn } from './fetch-in-turn.ts'
import { signInAgain } from './questions.ts'

type SessionOfPage = NonNullable<Static<typeof GetSessionResponse>>

let drawn: SessionOfPage | null = null
let restoring: Promise<boolean> | null = null
const otherUser = createStore<string | null>(null)

/** The session that the page was drawn for, or null. Tabs share the cookie, so the browser may have another session. */
export function sessionOfPage(): SessionOfPage | null {
  return drawn
}

export function setSessionOfPage(session: SessionOfPage | null): void {
  drawn = session
}

/**
 * Whether an error means that the session of the page has ended. Without a session, a code belongs to a sign-in in
 * progress. On a page with a session, only the dialog has such a sign-in.
 */
export function meansEndOfSession(code: string | undefined): boolean {
  if (code === 'INVALID_TWO_FACTOR_COOKIE') return drawn !== null && !signInAgain.isPending()
  return code === 'UNAUTHORIZED'
}

/**
 * Lets the user sign in again after the session of the page has ended, unless the user has signed in again in another
 * tab.
 * @returns whether the request may be repeated. False also after a sign-in of another user, whom the page then names.
 */
export function restoreSession(): Promise<boolean> {
  // The dialog itself may send the request, after a sign-in in another tab. The dialog must not wait for itself.
  if (signInAgain.isPending()) void answerFromOtherTab()
  restoring ??= restore().finally(() => {
    restoring = null
  })
  return restoring
}

/**
 * Another tab has signed in or out. A sign-in there closes the dialog, and `restore` then compares the users. If the
 * service can't be reached, the dialog stays.
 */
export async function answerFromOtherTab(): Promise<void> {
  if (await fetchSession().catch(() => null)) signInAgain.finish(true)
}

/** The name of another user who has signed in in another tab, or null. */
export const useOtherUser = otherUser.use

async function restore(): Promise<boolean> {
  const current = await fetchSession()
  if (current === null) return canSignInAgain() && (await signInAgain.ask()) && restore()
  const isSame = drawn?.user.id === current.user.id && isImpersonated(drawn) === isImpersonated(current)
  if (isSame) drawn = current
  else otherUser.set(current.user.name)
  return isSame
}

/** Whether the user of the page can sign in. Staff who impersonated a user can't sign in as that user. */
function canSignInAgain(): boolean {
  return drawn !== null && !isImpersonated(drawn)
}

/**
 * The session of the browser. The request names no session, so the service does not compare it with the one of the
 * page.
 */
async function fetchSession(): Promise<SessionOfPage | null> {
  const response = await fetchInTurn('/api/auth/get-session')
  return response.ok ? response.json() : null
}

function isImpersonated({ session }: SessionOfPage): boolean {
  return Boolean(session.impersonatedBy)
}
