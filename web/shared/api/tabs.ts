import { queryClient, sessionQuery } from './queries.ts'
import { signInAgain } from './questions.ts'
import { answerFromOtherTab, setSessionOfPage } from './session-of-page.ts'

const tabs = new BroadcastChannel('session')

/** Another tab of this browser has signed in or out. */
tabs.addEventListener('message', compareSessions)
// The session may have ended while the browser stored this page. Back restores the page, which may be of another user.
addEventListener('pageshow', ({ persisted }) => persisted && compareSessions())

/** Compares the session of this tab with the session of the browser. */
function compareSessions(): void {
  if (signInAgain.isPending()) void answerFromOtherTab()
  else void queryClient.invalidateQueries(sessionQuery)
}

/** For signing in and out: data of the previous user must not be shown, and the other tabs learn it. */
export function forgetSession(): void {
  setSessionOfPage(null)
  queryClient.removeQueries()
  tellOtherTabs()
}

export function tellOtherTabs(): void {
  tabs.postMessage('changed')
}
