import { fetchInFreshSession } from './fetch-in-fresh-session.ts'
import { RequestFailed } from './request-failed.ts'

/**
 * Sends a request without the official client. Its types lack fields and endpoints, and it is too large for sign-in.
 * @throws RequestFailed
 */
export async function request<Data>(path: string, body?: object): Promise<Data> {
  const response = await fetchInFreshSession(path, body === undefined ? {} : post(body))
  if (response.ok) return response.json()
  // The response of a proxy may be no JSON.
  throw RequestFailed.fromResponse(response, Object(await response.json().catch(() => undefined)))
}

function post(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
