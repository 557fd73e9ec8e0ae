import { fetchInTurn } from './fetch-in-turn.ts'
import { confirmIdentity } from './step-up.ts'

/**
 * As `fetch`. What can't be undone the service does only for visitors who have shown lately who they are; for the others
 * the page asks, and then sends the request again. An unconfirmed request keeps the answer that it got.
 */
export async function fetchInFreshSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchInTurn(input, init)
  if (!(await wantsFreshSession(response)) || !(await confirmIdentity())) return response
  return fetchInTurn(input, init)
}

async function wantsFreshSession(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body: { code?: unknown } | null = await response
    .clone()
    .json()
    .catch(() => null)
  return body?.code === 'SESSION_NOT_FRESH'
}
