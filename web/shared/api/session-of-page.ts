import { useSyncExternalStore } from 'react'
import { fetchInTurn } from './fetch-in-turn.ts'
import { signInAgain } from './questions.ts'

export type SessionOfPage = {
  session: { id: string; impersonatedBy?: string | null | undefined }
  user: { id: string; name: string; email: string }
}

let drawn: SessionOfPage | null = null
let restoring: Promise<boolean> | null = null
let otherUser: string | null = null
const listeners = new Set<() => void>()

/** The session that the page was drawn for, or null. Tabs share the cookie, so the session of the browser may be another one. */
export function sessionOfPage(): SessionOfPage | null {
  return drawn
}

export function setSessionOfPage(session: SessionOfPage | null): void {
  drawn = session
}

/**
 * Whether an error means that the session of the page has ended. A code without a session is for the sign-in in progress, and
 * the only one on a page with a session is that of the dialog.
 */
export function meansEndOfSession(code: string | undefined): boolean {
  if (code === 'INVALID_TWO_FACTOR_COOKIE') return drawn !== null && !signInAgain.isPending()
  return code === 'UNAUTHORIZED'
}

/**
 * After the session of the page has ended: the user signs in again, or has done so in another tab.
 * @returns whether the request may be repeated. It may not when another user has signed in: the page then says so.
 */
export function restoreSession(): Promise<boolean> {
  // The request may be that of the dialog, after a sign-in elsewhere. The dialog must not wait for itself.
  if (signInAgain.isPending()) void answerFromOtherTab()
  restoring ??= restore().finally(() => {
    restoring = null
  })
  return restoring
}

/** Another tab has signed in or out. A waiting dialog is answered by a sign-in of the same user. */
export async function answerFromOtherTab(): Promise<void> {
  if (await fetchSession()) signInAgain.finish(true)
}

/** The name of the user who has signed in in another tab, or null. */
export function useOtherUser(): string | null {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
    () => otherUser,
  )
}

async function restore(): Promise<boolean> {
  const current = await fetchSession()
  if (current === null) return canSignInAgain() && (await signInAgain.ask()) && restore()
  const isSame = drawn?.user.id === current.user.id && isImpersonated(drawn) === isImpersonated(current)
  if (isSame) drawn = current
  else tellOtherUser(current.user.name)
  return isSame
}

/** Staff who impersonated a user can't sign in as that user. */
function canSignInAgain(): boolean {
  return drawn !== null && !isImpersonated(drawn)
}

/** The session of the browser. The request names no session, so it is not compared. */
async function fetchSession(): Promise<SessionOfPage | null> {
  const response = await fetchInTurn('/api/auth/get-session')
  return response.ok ? response.json() : null
}

function isImpersonated({ session }: SessionOfPage): boolean {
  return Boolean(session.impersonatedBy)
}

function tellOtherUser(name: string): void {
  otherUser = name
  for (const notify of listeners) notify()
}
