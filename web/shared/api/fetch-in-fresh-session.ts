import { codeOf } from './code-of.ts'
import { fetchInSession } from './fetch-in-session.ts'
import { stepUp } from './questions.ts'

/**
 * `fetch` with step-up: when an endpoint requires a fresh session, the user reauthenticates and the request is sent again.
 * If the user cancels, the caller gets the refusal.
 */
export async function fetchInFreshSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchInSession(input, init)
  if (!(await requiresFreshSession(response)) || !(await stepUp.ask())) return response
  return fetchInSession(input, init)
}

async function requiresFreshSession(response: Response): Promise<boolean> {
  return response.status === 403 && (await codeOf(response)) === 'SESSION_NOT_FRESH'
}
