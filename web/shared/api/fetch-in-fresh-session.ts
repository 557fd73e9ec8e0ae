import { fetchInTurn } from './fetch-in-turn.ts'
import { stepUp } from './step-up.ts'

/**
 * `fetch` with step-up: when an endpoint requires a fresh session, the user reauthenticates and the request is sent again.
 * If the user cancels, the caller gets the refusal.
 */
export async function fetchInFreshSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchInTurn(input, init)
  if (!(await requiresFreshSession(response)) || !(await stepUp())) return response
  return fetchInTurn(input, init)
}

async function requiresFreshSession(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body: { code?: unknown } | null = await response
    .clone()
    .json()
    .catch(() => null)
  return body?.code === 'SESSION_NOT_FRESH'
}
