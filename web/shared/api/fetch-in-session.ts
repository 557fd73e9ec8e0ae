import { codeOf } from './code-of.ts'
import { fetchInTurn } from './fetch-in-turn.ts'
import { meansEndOfSession, restoreSession, sessionOfPage } from './session-of-page.ts'

/**
 * `fetch` that names the session of the page, so that a form never changes the account of another user. When that session
 * has ended, the user signs in again and the request is repeated.
 */
export async function fetchInSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchInTurn(input, withSessionId(init))
  if (sessionOfPage() === null || !(await hasLostSession(response))) return response
  return (await restoreSession()) ? fetchInTurn(input, withSessionId(init)) : response
}

function withSessionId(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers)
  const drawn = sessionOfPage()
  if (drawn !== null) headers.set('x-session-id', drawn.session.id)
  return { ...init, headers }
}

async function hasLostSession(response: Response): Promise<boolean> {
  if (response.status === 409) return (await codeOf(response)) === 'SESSION_CHANGED'
  return response.status === 401 && meansEndOfSession(await codeOf(response))
}
