import { queryClient, sessionQuery } from './queries.ts'
import { signInAgain } from './questions.ts'
import { answerFromOtherTab, setSessionOfPage } from './session-of-page.ts'

const tabs = new BroadcastChannel('session')

/** The other tabs of this browser compare their session when this one signs in or out. */
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
