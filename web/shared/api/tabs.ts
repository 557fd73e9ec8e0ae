import { queryClient, sessionQuery } from './queries.ts'
import { signInAgain } from './questions.ts'
import { answerFromOtherTab, setSessionOfPage } from './session-of-page.ts'

const tabs = new BroadcastChannel('session')

/**
 * Another tab of this browser has signed in or out, so this tab compares its session with the session of the browser.
 */
tabs.addEventListener('message', () => {
  if (signInAgain.isPending()) void answerFromOtherTab()
  else void queryClient.invalidateQueries(sessionQuery)
})

/** For signing in and out: data of the previous user must not be shown, and the other tabs learn it. */
export function forgetSession(): void {
  setSessionOfPage(null)
  queryClient.removeQueries()
  tellOtherTabs()
}

export function tellOtherTabs(): void {
  tabs.postMessage('changed')
}
